// SPDX-License-Identifier: Apache-2.0
// Where named files are found: every place and packing, and the message if there is none.
#include "datasets/name/locate.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/datasets/naive_csr.hpp"
#include "tests/datasets/temporary_folder.hpp"

namespace bfslab::tests {
namespace {

class Locate : public ::testing::Test {
 protected:
  void put(const std::string& file) const {
    std::filesystem::create_directories(std::filesystem::path(folder.file(file)).parent_path());
    write_bytes(folder.file(file), "0 1\n");
  }
  [[nodiscard]] std::optional<LocatedFile> find(const std::string& name) const {
    return locate_file(GraphName::parse(name), {folder.file("nothing"), folder.path()});
  }

  TemporaryFolder folder;
};

TEST_F(Locate, FindsEveryPlace) {
  struct Case {
    std::string graph, file, format, member, address;
  };
  const std::string snap = "https://snap.stanford.edu/data/";
  const std::string matrix = "https://sparse.tamu.edu/MM/SNAP/";
  const std::vector<Case> cases = {
      {"snap:zz", "zz.txt", "snap", "", ""},
      {"snap:zz", "zz.txt.zst", "snap", "", ""},
      {"snap:zz", "local/zz.txt.gz", "snap", "", ""},
      {"snap:zz", "snap.stanford.edu/data/zz.txt.gz", "snap", "", snap + "zz.txt.gz"},
      {"snap:zz", "snap.stanford.edu/data/zz.txt", "snap", "", snap + "zz.txt.gz"},
      {"snap:zz", "mirror/snap.stanford.edu/data/zz.txt.bz2", "snap", "", snap + "zz.txt.gz"},
      {"com-lj", "com-lj.txt", "snap", "", ""},
      {"com-lj", "com-lj.ungraph.txt", "snap", "",
       snap + "bigdata/communities/com-lj.ungraph.txt.gz"},
      {"com-lj", "mirror/sparse.tamu.edu/MM/SNAP/com-LiveJournal.tar.gz", "matrix-market",
       "com-LiveJournal.mtx", matrix + "com-LiveJournal.tar.gz"},
      {"com-orkut", "konect.cc/files/download.tsv.orkut-links.tar.bz2", "konect", "out.*",
       "http://konect.cc/files/download.tsv.orkut-links.tar.bz2"},
      {"konect:some-net", "download.tsv.some-net.tar.bz2", "konect", "out.*",
       "http://konect.cc/files/download.tsv.some-net.tar.bz2"},
      {"trackers", "konect.cc/files/download.tsv.trackers-trackers.tar.bz2", "konect",
       "out.trackers", "http://konect.cc/files/download.tsv.trackers-trackers.tar.bz2"},
      {"soc-catster", "soc-catster.konect", "konect", "", ""},
      {"konect:some-net", "local/out.some-net", "konect", "", ""},
      {"dblp-author-xbfs", "out.dblp-author-xbfs.gz", "konect", "", ""},
      {"suitesparse:HB/bus", "sparse.tamu.edu/MM/HB/bus.tar.gz", "matrix-market", "bus.mtx",
       "https://sparse.tamu.edu/MM/HB/bus.tar.gz"},
      {"suitesparse:HB/bus", "bus.mtx", "matrix-market", "", ""},
      {"rome99", "www.diag.uniroma1.it/challenge9/data/rome/rome99.gr", "dimacs9", "",
       "http://www.diag.uniroma1.it/challenge9/data/rome/rome99.gr"},
      {"wave", "local/wave.graph.zst", "metis", "", ""},
      {"wave", "wave.mtx.tar.gz", "matrix-market", "", ""},
      {"cti", "local/cti.edges.tsv.zst", "edges", "", ""},
      {"USA-road-d.FLA", "USA-road-d.FLA.gr.gz", "dimacs9", "", ""},
      {"cit-HepPh", "cit-HepPh.txt.gz", "edges", "", ""},
      {"local:mine", "mine.gr", "dimacs9", "", ""},
      {"local:mine", "local/mine.mtx.gz", "matrix-market", "", ""},
  };
  for (const Case& each : cases) {
    EXPECT_FALSE(find(each.graph)) << each.graph;
    put(each.file);
    const auto found = find(each.graph);
    std::filesystem::remove(folder.file(each.file));
    ASSERT_TRUE(found) << each.graph << " at " << each.file;
    EXPECT_EQ(found->path, folder.file(each.file));
    EXPECT_EQ(found->format, each.format) << each.file;
    EXPECT_EQ(found->member, each.member) << each.file;
    EXPECT_EQ(found->address, each.address) << each.file;
  }
}

TEST_F(Locate, TakesTheFirstFolderAndTheNearestPlace) {
  put("a/snap.stanford.edu/data/g.txt.gz");
  put("b/g.txt");
  const auto first = [&](const std::vector<std::string>& folders) {
    return locate_file(GraphName::parse("snap:g"), folders)->path;
  };
  EXPECT_EQ(first({folder.file("b"), folder.file("a")}), folder.file("b/g.txt"));
  EXPECT_EQ(first({folder.file("a"), folder.file("b")}),
            folder.file("a/snap.stanford.edu/data/g.txt.gz"));
  put("a/g.txt.gz");
  EXPECT_EQ(first({folder.file("a")}), folder.file("a/g.txt.gz"));
}

TEST_F(Locate, NeverTakesABuiltGraphOrAFolder) {
  put("g.csr");
  std::filesystem::create_directories(folder.file("g.txt"));
  EXPECT_FALSE(find("snap:g"));
  EXPECT_FALSE(find("local:g"));
}

TEST_F(Locate, SaysHowToGetWhatIsMissing) {
  const std::vector<std::string> folders = {"/first", "/last"};
  const auto error = [&](const std::string& name) {
    return input_error([&] { find_file(GraphName::parse(name), folders); });
  };
  const std::string known = error("soc-LiveJournal1");
  EXPECT_TRUE(contains(known, "no file of it in /first, /last")) << known;
  EXPECT_TRUE(contains(known, "`bfslab graph fetch snap:soc-LiveJournal1`")) << known;
  EXPECT_TRUE(contains(known, "https://snap.stanford.edu/data/soc-LiveJournal1.txt.gz")) << known;
  EXPECT_TRUE(contains(known, "put it at /last/snap.stanford.edu/data/")) << known;
  EXPECT_TRUE(contains(known, "soc-LiveJournal1-standin")) << known;
  const std::string nowhere = error("friendster-xbfs");
  EXPECT_TRUE(contains(nowhere, "no address of it is known")) << nowhere;
  EXPECT_TRUE(contains(nowhere, "/last/friendster-xbfs.txt")) << nowhere;
  for (const char* part :
       {"see https://sparse.tamu.edu/Gleich/usroads-48,", "put the file at /last/usroads-48.txt,",
        "--data DIR", "126146 vertices, 161950 simple edges",
        "its text in the format edges has the sha256 96d54"}) {
    EXPECT_TRUE(contains(error("usroads-48"), part)) << error("usroads-48");
  }
  EXPECT_TRUE(contains(error("file:none.txt"), "none.txt: no such file"));
  EXPECT_TRUE(contains(input_error([] { find_file(GraphName::parse("snap:x"), {}); }),
                       "any data folder (none was named)"));
}

TEST_F(Locate, APathThatExistsIsThatFile) {
  put("g.txt");
  put("out.net");
  const std::string here = folder.path();
  const GraphName name = GraphName::parse("g.txt,symmetrize=false", here);
  EXPECT_EQ(name.canonical, GraphName::parse("file:g.txt,symmetrize=false", here).canonical);
  EXPECT_EQ(name.path, folder.file("g.txt"));
  EXPECT_EQ(GraphName::parse(folder.file("out.net")).path, folder.file("out.net"));
  EXPECT_EQ(GraphName::parse("wave", here).kind, "dimacs10");
  put("wave");  // as a graph of the catalogue is called
  const auto refused = [&](const std::string& text) {
    return input_error([&] { GraphName::parse(text, here); });
  };
  EXPECT_TRUE(contains(refused("h.txt"), "and there is no file of that name")) << refused("h.txt");
  EXPECT_TRUE(
      contains(refused("snap:g.txt"), "there is a file g.txt, whose name is \"file:g.txt\""))
      << refused("snap:g.txt");
  EXPECT_TRUE(contains(refused("wave"), "write \"file:wave\" or \"dimacs10:wave"))
      << refused("wave");
  EXPECT_EQ(GraphName::parse("snap:h.txt", here).kind, "snap");
  EXPECT_EQ(GraphName::parse("snap:wave", here).kind, "snap");  // a name, whatever lies here
}

TEST_F(Locate, EveryPathThatExistsCanBeNamed) {
  const std::string here = folder.path();
  const auto path_of = [&](const std::string& text) { return GraphName::parse(text, here).path; };
  for (const std::string file : {"a,b.txt",
                                 "f12 a,b.txt",
                                 "colon:1.txt",
                                 "1:2:3.txt",
                                 "a,b,c.txt",
                                 ",a.txt",
                                 "a,.txt",
                                 "a=b.txt",
                                 "a,b=c.txt",
                                 "a,relabel.txt",
                                 "a, b.txt",
                                 "snap:x.txt",
                                 "wave,b.txt",
                                 "path:x",
                                 "c:/d,e/f.txt",
                                 "x,y/z.txt",
                                 "a;b|c.txt",
                                 "(a)+(b).txt",
                                 "a,symmetrize=maybe.txt",
                                 "%41,b.txt",
                                 "a\\,b.txt",
                                 "kronecker:scale=4,x.txt"}) {
    put(file);
    const std::string path = folder.file(file);
    for (const std::string options : {"", ",symmetrize=false", ",format=snap,relabel=degree"}) {
      const GraphName name = GraphName::parse("file:" + file + options, here);
      EXPECT_EQ(name.path, path) << file << options;
      // The canonical name is that of the same graph.
      const GraphName again = GraphName::parse(name.canonical);
      EXPECT_EQ(again.path, path) << name.canonical;
      EXPECT_EQ(again.canonical, name.canonical);
      EXPECT_EQ(path_of("file:" + path + options), path);
      EXPECT_EQ(path_of(path + options), path);
      EXPECT_EQ(path_of("./" + file + options), path);
    }
    std::filesystem::remove(path);
  }
  for (const char* file : {"a,b.txt", "f12 a,b.txt", "colon:1.txt", "a,b=c.txt", "wave,b.txt"}) {
    put(file);
    EXPECT_EQ(path_of(file), folder.file(file));
    std::filesystem::remove(folder.file(file));
  }
}

TEST_F(Locate, WhatIsNoPathStaysAnOption) {
  const std::string here = folder.path();
  const auto refused = [&](const std::string& text) {
    return input_error([&] { GraphName::parse(text, here); });
  };
  put("g.txt");
  EXPECT_TRUE(contains(refused("file:g.txt,symetrize=false"), "did you mean \"symmetrize\""));
  EXPECT_TRUE(contains(refused("g.txt,symetrize=false"), "did you mean \"symmetrize\""));
  EXPECT_TRUE(contains(refused("file:g.txt,b"), "found \"b\", expected NAME=VALUE"));
  EXPECT_TRUE(contains(refused("file:none.txt,symetrize=false"), "unknown parameter"));
  EXPECT_EQ(GraphName::parse("file:none,b.txt", here).path, folder.file("none,b.txt"));
  put("g.txt,symmetrize=false");
  EXPECT_TRUE(contains(refused("file:g.txt,symmetrize=false"), "could be two files"));
  EXPECT_EQ(GraphName::parse("file:g.txt", here).path, folder.file("g.txt"));
}

// A name that a message advises is accepted.
TEST_F(Locate, AdviceWorks) {
  const std::string here = folder.path();
  const auto advised = [&](const std::string& text) {
    std::string message = input_error([&] { GraphName::parse(text, here); });
    const std::size_t begin = message.rfind("\"file:");
    if (begin == std::string::npos) return message;
    return message.substr(begin + 1, message.find('"', begin + 1) - begin - 1);
  };
  for (const char* text :
       {"unknown", "un known", "un,known", "un;known", "unknown,relabel=degree"}) {
    EXPECT_EQ(advised(text), std::string("file:") + text);
    EXPECT_EQ(input_error([&] { GraphName::parse(advised(text), here); }), "no error") << text;
  }
  put("a,b.txt");
  EXPECT_EQ(advised("snap:a,b.txt"), "file:a,b.txt");
  EXPECT_EQ(GraphName::parse(advised("snap:a,b.txt"), here).path, folder.file("a,b.txt"));
}

TEST_F(Locate, WhatIsThereAndIsNoFileIsSaid) {
  const std::string here = folder.path();
  std::filesystem::create_directories(folder.file("d.txt"));
  std::filesystem::create_symlink(folder.file("gone"), folder.file("l.txt"));
  ASSERT_EQ(mkfifo(folder.file("p").c_str(), 0600), 0);
  ASSERT_EQ(mkfifo(folder.file("p,q:r").c_str(), 0600), 0);
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"d.txt", "is a folder, not a file"},
      {"./d.txt", "is a folder, not a file"},
      {"l.txt", "is a link to a file that is not there"},
      {"p", "is not a regular file but a pipe"},
      {folder.file("p"), "is not a regular file but a pipe"},
      {folder.file("p") + ",symmetrize=false", "is not a regular file but a pipe"},
      {folder.file("p,q:r"), "is not a regular file but a pipe"},
      {"/dev/null", "is not a regular file"},
      {"none.txt", "there is no file of that name"},
      {"./no:ne.txt", "there is no file of that name"},
  };
  for (const auto& [text, reason] : cases) {
    const std::string message = input_error([&, t = text] { GraphName::parse(t, here); });
    EXPECT_TRUE(contains(message, reason)) << text << ": " << message;
    const std::string file =
        input_error([&, t = text] { find_file(GraphName::parse("file:" + t, here), {}); });
    EXPECT_TRUE(contains(file, reason) || contains(file, "no such file")) << text << ": " << file;
  }
}

TEST(PublishedSize, IsOfTheEntriesThatAreStored) {
  const auto edges = [](const std::string& name) {
    return published_size(GraphName::parse(name)).edges;
  };
  EXPECT_EQ(published_size(GraphName::parse("soc-Epinions1")).vertices, 75879U);
  EXPECT_EQ(edges("soc-Epinions1"), 2 * 508837U);
  EXPECT_EQ(edges("soc-Epinions1,symmetrize=false"), 508837U);
  EXPECT_EQ(edges("snap:nobody-knows"), 0U);
}

}  // namespace
}  // namespace bfslab::tests

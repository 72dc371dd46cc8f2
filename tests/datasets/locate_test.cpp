// SPDX-License-Identifier: Apache-2.0
// Where named files are found: every place and packing, and the message if there is none.
#include "datasets/name/locate.hpp"

#include <gtest/gtest.h>

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

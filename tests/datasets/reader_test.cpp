// The table of formats: which one a path means, and every format in every packing.
#include "datasets/read/reader.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/datasets/naive_csr.hpp"
#include "tests/datasets/packed.hpp"
#include "tests/datasets/parsing.hpp"
#include "tests/datasets/temporary_folder.hpp"

namespace bfslab::test {
namespace {

std::string format_of(const std::string& path) {
  const GraphName name = GraphName::parse("file:" + path);
  return find_format(name.path, name.value("format")).name;
}

TEST(Formats, TheEndingTells) {
  EXPECT_EQ(format_of("a/b.txt"), "snap");
  EXPECT_EQ(format_of("a/b.txt.gz"), "snap");
  EXPECT_EQ(format_of("b.mtx.tar.bz2"), "matrix-market");
  EXPECT_EQ(format_of("b.graph.zst"), "metis");
  EXPECT_EQ(format_of("USA-road-d.NY.gr.gz"), "dimacs9");
  EXPECT_EQ(format_of("kron.sg"), "gapbs");
  EXPECT_EQ(format_of("uk.arcs.tsv.zst"), "arcs");
  EXPECT_EQ(format_of("g.csr"), "csr");
}

TEST(Formats, OrTheBeginningOfTheFilesName) {
  EXPECT_EQ(format_of("a/out.opsahl-powergrid"), "konect");
  EXPECT_EQ(format_of("a/out.x.bz2"), "konect");
  EXPECT_EQ(format_of("download.tsv.opsahl-powergrid.tar.bz2"), "konect");
}

TEST(Formats, ElseTheNameMustTell) {
  try {
    format_of("a.tar.gz");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_TRUE(contains(error.what(), "add ,format=NAME")) << error.what();
    EXPECT_TRUE(contains(error.what(), ".mtx")) << error.what();
  }
  EXPECT_EQ(format_of("a.tar.gz,format=matrix-market"), "matrix-market");
  EXPECT_EQ(format_of("a.txt,format=arcs"), "arcs");
}

TEST(Formats, NamesAndEndingsAreUnique) {
  std::set<std::string> seen;
  for (const GraphFormat& format : graph_formats()) {
    EXPECT_TRUE(seen.insert(format.name).second) << format.name;
    EXPECT_FALSE(format.doc.empty());
    EXPECT_NE(format.parse == nullptr, format.from_path == nullptr);
    for (const std::string& ending : format.endings) {
      EXPECT_TRUE(seen.insert(ending).second) << ending;
    }
  }
}

TEST(Formats, EveryOneIsReadInEveryPacking) {
  // The path 0 - 1 - 2, in each.
  const std::vector<std::pair<std::string, std::string>> texts = {
      {"snap", "0 1\n1 2\n"},
      {"konect", "% sym unweighted\n1 2\n2 3\n"},
      {"matrix-market", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n1 2\n2 3\n"},
      {"metis", "3 2\n2\n1 3\n2\n"},
      {"dimacs9", "p sp 3 2\na 1 2 1\na 2 3 1\n"},
      {"arcs", "0\t1\n1\t2\n"},
  };
  const TemporaryFolder folder;
  for (const auto& [name, text] : texts) {
    const GraphFormat& format = format_called(name);
    std::vector<std::pair<std::string, std::string>> files = {{"", text}, {"gzip", gzip_of(text)}};
    if (has_zstd()) files.emplace_back("zstd", zstd_of(text));
    if (has_archives()) {
      std::string member = format.members.front();
      member.replace(member.find('*'), 1, "x");
      const std::string tar = tar_of({{"x/README", "read me", {}}, {"x/" + member, text, {}}});
      files.emplace_back("bzip2", bzip2_of(text));
      files.emplace_back("tar member x/" + member, tar);
      files.emplace_back("gzip, tar member x/" + member, gzip_of(tar));
      files.emplace_back("bzip2, tar member x/" + member, bzip2_of(tar));
      if (has_zstd()) files.emplace_back("zstd, tar member x/" + member, zstd_of(tar));
    }
    for (const auto& [packing, bytes] : files) {
      write_bytes(folder.file("file"), bytes);
      const EdgeList list = format.read(folder.file("file"), 2);
      EXPECT_EQ(edges_in(list), (std::vector<Edge>{{0, 1}, {1, 2}})) << name << " " << packing;
      EXPECT_EQ(fact(list.provenance, "packing"), packing) << name;
    }
  }
}

TEST(Formats, AMemberCanBeNamed) {
  if (!has_archives()) GTEST_SKIP() << "this build does not read tar";
  const TemporaryFolder folder;
  write_bytes(folder.file("g.tar"), tar_of({{"a.txt", "0 1\n", {}}, {"b.txt", "0 1\n1 2\n", {}}}));
  EXPECT_EQ(format_called("snap").read(folder.file("g.tar"), 1, "b.txt").edges.size(), 2U);
  EXPECT_THROW(static_cast<void>(format_called("snap").read(folder.file("g.tar"), 1)), InputError);
}

}  // namespace
}  // namespace bfslab::test

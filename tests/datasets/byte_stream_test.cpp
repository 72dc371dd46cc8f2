// SPDX-License-Identifier: Apache-2.0
#include "datasets/read/byte_stream.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "datasets/graph/types.hpp"
#include "datasets/text/sha256.hpp"
#include "tests/datasets/naive_csr.hpp"
#include "tests/datasets/packed.hpp"
#include "tests/datasets/real_data.hpp"
#include "tests/datasets/temporary_folder.hpp"

namespace bfslab::tests {
namespace {

std::string drain(ByteStream& stream, std::size_t step = 1 << 20) {
  std::string text;
  std::vector<char> piece(step);
  while (true) {
    const std::size_t count = stream.read(piece);
    text.append(piece.data(), count);
    if (count < step) break;
  }
  EXPECT_EQ(stream.read(piece), 0U);
  return text;
}

// Several windows of lines that do not compress to almost nothing.
std::string long_text() {
  std::mt19937_64 random(7);
  std::string text;
  while (text.size() < 1500000) text += std::to_string(random() % 1000000) + "\n";
  return text;
}

class Bytes : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& bytes) {
    write_bytes(folder_.file(name), bytes);
    return folder_.file(name);
  }
  std::string text_of(const std::string& bytes, const std::vector<std::string>& members = {},
                      std::size_t step = 1 << 20) {
    return drain(*open_bytes(write("g", bytes), members), step);
  }
  std::string packing_of(const std::string& bytes, const std::vector<std::string>& members = {}) {
    return open_bytes(write("g", bytes), members)->packing();
  }
  // The message of the refusal, without the folder; "" if the file is accepted.
  std::string refusal(const std::string& bytes, const std::vector<std::string>& members = {}) {
    try {
      drain(*open_bytes(write("g", bytes), members));
      return "";
    } catch (const InputError& error) {
      const std::string text = error.what();
      const std::string start = folder_.file("g") + ": ";
      EXPECT_EQ(text.substr(0, start.size()), start);
      return text.substr(std::min(text.size(), start.size()));
    }
  }
  TemporaryFolder folder_;
};

TEST_F(Bytes, PlainFilesAreReadFromTheFront) {
  const auto stream = open_bytes(write("g", "0 1\n1 2\n"));
  EXPECT_EQ(drain(*stream, 3), "0 1\n1 2\n");
  EXPECT_EQ(stream->packing(), "");
  EXPECT_EQ(text_of(""), "");
}

TEST_F(Bytes, FilesThatCannotBeReadAreNamed) {
  EXPECT_THROW(open_bytes(folder_.file("none")), InputError);
  try {
    open_bytes(folder_.path());
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), folder_.path() + ": cannot be read: Is a directory");
  }
  ASSERT_EQ(mkfifo(folder_.file("pipe").c_str(), 0600), 0);
  EXPECT_THROW(open_bytes(folder_.file("pipe")), InputError);
  EXPECT_THROW(open_bytes("/dev/null"), InputError);
}

TEST_F(Bytes, KnownPackingsThatAreNotReadAreNamed) {
  EXPECT_TRUE(contains(refusal(std::string("\xfd"
                                           "7zXZ\0junk",
                                           10)),
                       "`xz -d`"));
  EXPECT_TRUE(contains(refusal("PK\x03\x04zip"), "`unzip`"));
}

TEST_F(Bytes, APartThatTheBuildLacksIsNamed) {
  if (has_zstd() && has_archives()) GTEST_SKIP() << "this build lacks none";
  if (!has_zstd()) {
    EXPECT_TRUE(contains(refusal("\x28\xb5\x2f\xfd packed"), "Install libzstd-dev"));
  }
  if (!has_archives()) {
    EXPECT_TRUE(contains(refusal("BZh9 packed"), "Install libarchive-dev"));
  }
}

// --- One packing after the other; a pack function and the packing's name.
struct Packer {
  const char* name;
  std::string (*pack)(const std::string&);
  bool (*here)();
};

class Packed : public Bytes, public ::testing::WithParamInterface<Packer> {
 protected:
  void SetUp() override {
    if (!GetParam().here()) GTEST_SKIP() << "this build does not read " << GetParam().name;
  }
};

TEST_P(Packed, UnpacksWholeInPiecesOfAnySize) {
  const std::string text = long_text();
  const std::string packed = GetParam().pack(text);
  ASSERT_LT(packed.size(), text.size());
  for (const std::size_t step : {std::size_t{7}, std::size_t{4099}, text.size()}) {
    EXPECT_EQ(text_of(packed, {}, step), text) << step;
  }
  EXPECT_EQ(packing_of(packed), GetParam().name);
}

TEST_P(Packed, EmptyTextIsEmpty) { EXPECT_EQ(text_of(GetParam().pack("")), ""); }

TEST_P(Packed, StreamsMayFollowOneAnother) {
  EXPECT_EQ(text_of(GetParam().pack("0 1\n") + GetParam().pack("1 2\n")), "0 1\n1 2\n");
}

TEST_P(Packed, ACutFileIsRefusedWhereverItIsCut) {
  const std::string packed = GetParam().pack(long_text());
  for (const std::size_t left : {packed.size() - 1, packed.size() - 9, packed.size() / 2,
                                 packed.size() / 3, std::size_t{20}, std::size_t{4}}) {
    const std::string reason = refusal(packed.substr(0, left));
    EXPECT_TRUE(contains(reason, "cut off")) << left << ": " << reason;
  }
}

TEST_P(Packed, ADamagedFileIsRefused) {
  const std::string packed = GetParam().pack(long_text());
  for (const std::size_t at : {packed.size() / 4, packed.size() / 2, packed.size() - 30}) {
    std::string damaged = packed;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    EXPECT_NE(refusal(damaged), "") << at;
  }
}

TEST_P(Packed, WhatFollowsTheStreamIsRefused) {
  const std::string packed = GetParam().pack("0 1\n");
  EXPECT_EQ(
      refusal(packed + "this is no stream"),
      fmt::format("17 bytes at byte {} follow the {} stream and are not a {} stream; fetch the "
                  "file again",
                  packed.size(), GetParam().name, GetParam().name));
}

TEST_P(Packed, TarWithinIsSeen) {
  if (!has_archives()) GTEST_SKIP() << "this build does not read tar";
  const std::string tar = tar_of({{"x/", "", {}}, {"x/x.mtx", "graph", {}}});
  const std::string packed = GetParam().pack(tar);
  EXPECT_EQ(text_of(packed, {"*.mtx"}), "graph");
  EXPECT_EQ(packing_of(packed, {"*.mtx"}), std::string(GetParam().name) + ", tar member x/x.mtx");
  const std::string reason = refusal(packed.substr(0, packed.size() - 3), {"*.mtx"});
  EXPECT_TRUE(contains(reason, "cut off")) << reason;
}

bool always() { return true; }
INSTANTIATE_TEST_SUITE_P(Each, Packed,
                         ::testing::Values(Packer{"gzip", gzip_of, always},
                                           Packer{"zstd", zstd_of, has_zstd},
                                           Packer{"bzip2", bzip2_of, has_archives}),
                         [](const auto& info) { return std::string(info.param.name); });

// --- tar
class Tar : public Bytes {
 protected:
  void SetUp() override {
    if (!has_archives()) GTEST_SKIP() << "this build does not read tar";
  }
};

TEST_F(Tar, EveryDialectIsRead) {
  for (const char* format : {"v7tar", "ustar", "gnutar", "pax"}) {
    EXPECT_EQ(text_of(tar_of({{"a/b.mtx", "graph", {}}}, format), {"*.mtx"}), "graph") << format;
  }
}

TEST_F(Tar, LongMembersAreReadWhole) {
  const std::string text = long_text();
  const std::string tar = tar_of({{"before", text, {}}, {"g.mtx", text, {}}, {"last", text, {}}});
  EXPECT_EQ(text_of(tar, {"*.mtx"}, 4099), text);
}

TEST_F(Tar, TheOnlyFileNeedsNoMatch) {
  EXPECT_EQ(text_of(tar_of({{"d/", "", {}}, {"d/graph", "graph", {}}}), {"*.mtx"}), "graph");
}

TEST_F(Tar, TheOneThatMatchesIsMeant) {
  const std::string tar =
      tar_of({{"n/meta.n", "m", {}}, {"n/out.n-uniq", "graph", {}}, {"n/README.n", "r", {}}});
  EXPECT_EQ(text_of(tar, {"out.*"}), "graph");
  EXPECT_EQ(text_of(tar, {"README.n"}), "r");  // a plain name is a glob too
}

TEST_F(Tar, OfSeveralTheOneCalledAsItsFolderIsMeant) {
  // As SuiteSparse packs graphs that have coordinates.
  const std::string tar = tar_of({{"n/n_coord.mtx", "coordinates", {}}, {"n/n.mtx", "graph", {}}});
  EXPECT_EQ(text_of(tar, {"*.mtx"}), "graph");
  const std::string konect = tar_of({{"n/out.n-old", "old", {}}, {"n/out.n", "graph", {}}});
  EXPECT_EQ(text_of(konect, {"out.*"}), "graph");
}

TEST_F(Tar, NoneOrSeveralThatMatchAreListed) {
  EXPECT_EQ(refusal(tar_of({{"a.mtx", "1", {}}, {"b.mtx", "2", {}}}), {"*.mtx"}),
            "the tar archive must hold one file like *.mtx, and holds a.mtx, b.mtx; unpack it and "
            "name the file");
  EXPECT_EQ(
      refusal(tar_of({{"a.gr", "1", {}}, {"b.gr", "2", {}}}), {"*.mtx", "*.rb"}),
      "the tar archive must hold one file like *.mtx or *.rb, and holds a.gr, b.gr; unpack it "
      "and name the file");
  EXPECT_EQ(refusal(tar_of({{"d/", "", {}}}), {}),
            "the tar archive must hold one file, and holds d/; unpack it and name the file");
}

TEST_F(Tar, TheSamePathTwiceIsRefused) {
  const std::string reason =
      refusal(tar_of({{"n/n.mtx", "old", {}}, {"n/n.mtx", "new", {}}}), {"*.mtx"});
  EXPECT_TRUE(contains(reason, "holds n/n.mtx and n/n.mtx")) << reason;
}

TEST_F(Tar, HostilePathsAreNamesAndNoPlaces) {
  const std::filesystem::path outside = std::filesystem::path(folder_.path()) / "outside.mtx";
  const std::string up = "../outside.mtx";
  for (const std::string& path : {up, outside.string(), std::string("a/../../outside.mtx")}) {
    std::filesystem::create_directory(folder_.file("inner"));
    write_bytes(folder_.file("inner/g.tar"), tar_of({{path, "graph", {}}}));
    EXPECT_EQ(drain(*open_bytes(folder_.file("inner/g.tar"), {"*.mtx"})), "graph");
    EXPECT_FALSE(std::filesystem::exists(outside)) << path;
  }
  std::size_t entries = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path())) {
    entries += entry.path() == folder_.file("inner") ? 0 : 1;
  }
  EXPECT_EQ(entries, 1U);  // inner/g.tar
}

TEST_F(Tar, LinksAreNotFollowed) {
  const std::string secret = write("secret", "secret");
  EXPECT_EQ(refusal(tar_of({{"n.mtx", "", secret}}), {"*.mtx"}),
            "the tar archive must hold one file like *.mtx, and holds n.mtx (no regular file); "
            "unpack it and name the file");
  EXPECT_EQ(text_of(tar_of({{"n.mtx", "", secret}, {"m.mtx", "graph", {}}}), {"*.mtx"}), "graph");
}

TEST_F(Tar, ACutOrDamagedArchiveIsRefused) {
  const std::string tar = tar_of({{"n.mtx", long_text(), {}}, {"other", "text", {}}});
  EXPECT_NE(refusal(tar.substr(0, 100000), {"*.mtx"}), "");  // within the member
  EXPECT_NE(refusal(tar.substr(0, 512), {"*.mtx"}), "");     // after its header
  const std::size_t header = 512 + (long_text().size() + 511) / 512 * 512;
  EXPECT_NE(refusal(tar.substr(0, header + 100), {"*.mtx"}), "");  // within the next header
  std::string damaged = tar;
  damaged[header + 3] = '!';  // the next header's name
  EXPECT_NE(refusal(damaged, {"*.mtx"}), "");
}

TEST_F(Tar, WhatFollowsTheArchiveIsRefused) {
  const std::string tar = tar_of({{"n.mtx", "graph", {}}});
  EXPECT_EQ(text_of(tar + std::string(1 << 20, '\0'), {"*.mtx"}), "graph");  // padding
  EXPECT_EQ(refusal(tar + tar, {"*.mtx"}),
            "something follows the end of the tar archive; fetch the file again");
  EXPECT_NE(refusal(tar + std::string(1 << 20, '\0') + "x", {"*.mtx"}), "");
}

TEST_F(Bytes, TextIsNeverTakenForAnArchive) {
  const std::string text = long_text();
  EXPECT_EQ(text_of(text), text);
  EXPECT_EQ(text_of(std::string(2048, '\0')), std::string(2048, '\0'));
}

// --- Real files: the sums of data/README.md are of the plain text.
struct RealFile {
  const char* file;
  const char* sha256;
};

class RealBytes : public ::testing::TestWithParam<RealFile> {};

TEST_P(RealBytes, UnpackToTheDistributorsText) {
  BFSLAB_REAL_DATA(path, GetParam().file);
  if (contains(path, ".zst") && !has_zstd()) GTEST_SKIP() << "this build does not read zstd";
  if (contains(path, ".tar") && !has_archives()) GTEST_SKIP() << "this build does not read tar";
  const auto stream = open_bytes(path, {"out.*", "*.mtx"});
  EXPECT_EQ(Sha256().add(drain(*stream)).hex(), GetParam().sha256);
}

INSTANTIATE_TEST_SUITE_P(
    Each, RealBytes,
    ::testing::Values(RealFile{"mirror/snap.stanford.edu/data/wiki-Vote.txt.gz",
                               "d2afbedf262126f820c6b3dd9f39a6d68e6f5ea839c0508297032ca77578b28a"},
                      RealFile{"mirror/sparse.tamu.edu/MM/DIMACS10/delaunay_n13.tar.gz",
                               "f5c2e63444870e28ab71fe4c2c3d066807047a2cd25034fa599c9bcad0ea5c1c"},
                      RealFile{"mirror/konect.cc/files/download.tsv.opsahl-powergrid.tar.bz2",
                               "1cc533ba8d099f90cc49b13d9fa9c20ff96636a80b7e5bd81445582a9af49eb6"},
                      RealFile{"mirror/www.diag.uniroma1.it/challenge9/data/rome/rome99.gr",
                               "cbc914b1d02327c2ea788b6f68a332995feadbdc97c1c7890c5e6272152f099d"},
                      RealFile{"local/wave.graph.zst",
                               "98eb3329d4f7aa2ae7057aabc2e401d87f0acfee9f40a2d54b25febaeeb2d856"},
                      RealFile{
                          "local/uk-2007-05@100000.arcs.tsv.zst",
                          "ff318dc7e3196113bf154c24aa2bebfd6b6974c0efb7077f786af83126866626"}));

}  // namespace
}  // namespace bfslab::tests

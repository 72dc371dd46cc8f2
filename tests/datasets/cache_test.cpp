// SPDX-License-Identifier: Apache-2.0
#include "datasets/cache/cache.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <thread>

#include "datasets/cache/content_stamp.hpp"
#include "datasets/cache/csr_file.hpp"
#include "datasets/load_graph.hpp"
#include "tests/datasets/naive_csr.hpp"
#include "tests/datasets/temporary_folder.hpp"

namespace bfslab::tests {
namespace {

class Cache : public ::testing::Test {
 protected:
  CsrGraph get(const std::string& text, bool transpose = false, bool huge_pages = true) {
    notices.clear();
    LoadOptions options;
    options.data_folders = {folder.path()};
    options.cache_folder = folder.file("cache");
    options.threads = 2;
    options.transpose = transpose;
    options.huge_pages = huge_pages;
    options.notice = [&](const std::string& text) { notices.push_back(text); };
    return load_graph(GraphName::parse(text), options);
  }
  [[nodiscard]] std::string path(const std::string& text) const {
    return cache_path(folder.file("cache"), GraphName::parse(text).canonical);
  }
  [[nodiscard]] std::size_t cached_files() const {
    const std::filesystem::directory_iterator files(folder.file("cache/csr"));
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
  }

  TemporaryFolder folder;
  std::vector<std::string> notices;
};

void expect_equal(const CsrGraph& a, const CsrGraph& b) {
  EXPECT_TRUE(std::ranges::equal(a.row_offsets(), b.row_offsets()));
  EXPECT_TRUE(std::ranges::equal(a.columns(), b.columns()));
  EXPECT_TRUE(std::ranges::equal(a.input_edges(), b.input_edges()));
  EXPECT_TRUE(std::ranges::equal(a.labels(), b.labels()));
  EXPECT_EQ(a.first_label(), b.first_label());
  EXPECT_EQ(a.symmetric(), b.symmetric());
  EXPECT_EQ(a.identity().name, b.identity().name);
  EXPECT_EQ(a.identity().content_hash, b.identity().content_hash);
  EXPECT_EQ(a.provenance(), b.provenance());
}

TEST_F(Cache, GivesBackTheGraphItWasGiven) {
  write_bytes(folder.file("gaps.txt"), "# Nodes: 9 Edges: 3\n7 30\n30 1412\n30 30\n");
  write_bytes(folder.file("out.from-one"), "% sym unweighted\n% 2 3 3\n1 2\n2 3\n");
  for (const std::string text :
       {"kronecker:scale=10", "kronecker:scale=10,relabel=degree", "path:vertices=0",
        "path:vertices=1", "snap:gaps", "snap:gaps,symmetrize=false", "konect:from-one",
        "konect:from-one,relabel=degree"}) {
    const CsrGraph built = get(text);
    const std::string kept = folder.file("kept.csr");  // another name of the file
    std::filesystem::remove(kept);
    std::filesystem::create_hard_link(path(text), kept);
    for (const bool huge_pages : {true, false}) {
      const CsrGraph again = get(text, false, huge_pages);
      EXPECT_TRUE(notices.empty()) << text << ": " << notices.front();
      expect_equal(built, again);
    }
    EXPECT_TRUE(std::filesystem::equivalent(path(text), kept)) << "read, not rebuilt";
  }
}

// `bfslab check` asks for sizes only: damage to the arrays is found when they are read.
TEST_F(Cache, FactsAreReadWithoutTheArrays) {
  const std::string text = "kronecker:scale=10,symmetrize=false";
  const CsrGraph built = get(text);
  const CsrFacts facts = read_csr_facts(path(text));
  EXPECT_EQ(facts.identity.name, built.identity().name);
  EXPECT_EQ(facts.identity.content_hash, built.identity().content_hash);
  EXPECT_EQ(facts.vertices, built.vertex_count());
  EXPECT_EQ(facts.edges, built.edge_count());
  EXPECT_FALSE(facts.symmetric);
  EXPECT_EQ(facts.source, read_csr_file(path(text), false, 1).source);

  std::string bytes = read_bytes(path(text));
  bytes[bytes.size() / 2] ^= 1;  // in the arrays
  write_bytes(path(text), bytes);
  EXPECT_EQ(read_csr_facts(path(text)).edges, built.edge_count());
  EXPECT_THROW(read_csr_file(path(text), false, 1), CsrFileError);
  bytes[4096] ^= 1;  // in the facts
  write_bytes(path(text), bytes);
  EXPECT_THROW(read_csr_facts(path(text)), CsrFileError);
  write_bytes(path(text), bytes.substr(0, 6000));
  EXPECT_THROW(read_csr_facts(path(text)), CsrFileError);
}

TEST_F(Cache, KeepsTheFirstLabel) {
  write_bytes(folder.file("out.from-one"), "% sym unweighted\n% 2 3 3\n1 2\n2 3\n");
  for (int round = 0; round < 2; ++round) {  // built, then read
    const CsrGraph graph = get("konect:from-one");
    EXPECT_TRUE(graph.labels().empty());
    EXPECT_EQ(graph.label(2), 3U);
    EXPECT_EQ(graph.identity().content_hash, get("path:vertices=3").identity().content_hash);
  }
}

TEST_F(Cache, KeepsTheTransposeToo) {
  const std::string text = "kronecker:scale=9,symmetrize=false";
  const CsrGraph built = get(text, true);
  EXPECT_EQ(cached_files(), 2U);
  const CsrGraph again = get(text, true);
  EXPECT_TRUE(notices.empty());
  ASSERT_NE(again.incoming(), nullptr);
  expect_equal(*built.incoming(), *again.incoming());
  EXPECT_FALSE(again.incoming()->symmetric());
}

TEST_F(Cache, RebuildsWhateverIsDamagedWithANotice) {
  const std::string text = "kronecker:scale=8";
  const CsrGraph good = get(text);
  const std::string file = path(text);
  const std::string bytes = read_bytes(file);
  ASSERT_EQ(bytes.size() % 4096, 0U);

  std::vector<std::pair<std::string, std::string>> damages = {
      {"empty", ""},
      {"short", bytes.substr(0, 100)},
      {"header only", bytes.substr(0, 4096)},
      {"cut off", bytes.substr(0, bytes.size() - 4096)},
      {"too long", bytes + "x"},
      {"foreign", std::string(bytes.size(), 'x')},
  };
  const auto flip = [&](const std::string& what, std::size_t at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x20);
    damages.emplace_back(what, damaged);
  };
  flip("magic", 0);
  flip("version", 8);
  flip("byte order", 12);
  flip("vertex count", 16);
  flip("vertex count, high byte", 23);
  flip("edge count", 24);
  flip("edge count, high byte", 31);
  flip("input counts", 32);
  flip("labels", 40);
  flip("symmetric", 48);
  flip("facts size", 56);
  flip("file size", 64);
  flip("kind of checksum", 72);
  flip("checksum of the arrays", 80);
  flip("first label", 88);
  flip("checksum of the header", 96);
  flip("facts", 4096 + 8);
  flip("offsets", 2 * 4096 + 16);
  flip("columns", 2 * 4096 + 4096 + 100);
  flip("input edges", bytes.size() - 4096 + 8);
  for (const auto& [what, damaged] : damages) {
    write_bytes(file, damaged);
    const CsrGraph again = get(text);
    expect_equal(good, again);
    ASSERT_EQ(notices.size(), 1U) << what;
    EXPECT_TRUE(contains(notices[0], "building the graph again")) << notices[0];
    EXPECT_EQ(read_bytes(file), bytes) << what << ": must have been mended";
  }
}

// No meaningful byte can be changed unnoticed, and no change can produce a different graph. Padding
// may change unnoticed.
TEST_F(Cache, NoByteCanBeFlippedIntoAnotherGraph) {
  write_bytes(folder.file("g.txt"), "7 30\n30 1412\n30 30\n1412 9\n");
  const CsrGraph good = get("snap:g");
  const std::string bytes = read_bytes(path("snap:g"));
  const std::string file = folder.file("flipped.csr");
  write_bytes(file, bytes);
  // In place: a file system may sync a file that is truncated and rewritten.
  const auto put = [&](std::size_t at, char byte) {
    std::fstream out(file, std::ios::binary | std::ios::in | std::ios::out);
    out.seekp(static_cast<std::streamoff>(at)).put(byte);
  };
  std::size_t noticed = 0;
  std::size_t meaningful = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    if (bytes[at] == 0 && at % 16 != 0) continue;
    meaningful += bytes[at] != 0 ? 1 : 0;
    put(at, static_cast<char>(bytes[at] ^ (1U << (at % 8))));
    try {
      expect_equal(good, read_csr_file(file, at % 2 == 0, 1).graph);
      ASSERT_FALSE(HasFailure()) << "byte " << at;
      ASSERT_EQ(bytes[at], 0) << "byte " << at << " was flipped unnoticed";
    } catch (const CsrFileError&) {
      ++noticed;
    }
    put(at, bytes[at]);
  }
  EXPECT_EQ(read_bytes(file), bytes);
  EXPECT_GT(meaningful, 200U);
  EXPECT_GT(noticed, meaningful) << "some zeros are numbers, and are watched too";
}

// The same through the cache, which repairs what it notices; fewer bytes, since it syncs each file.
TEST_F(Cache, FlippedBytesAreMended) {
  write_bytes(folder.file("g.txt"), "7 30\n30 1412\n30 30\n1412 9\n");
  const CsrGraph good = get("snap:g");
  const std::string bytes = read_bytes(path("snap:g"));
  std::size_t held = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    if (bytes[at] == 0 || ++held % 41 != 0) continue;
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ (1U << (at % 8)));
    write_bytes(path("snap:g"), damaged);
    expect_equal(good, get("snap:g"));
    ASSERT_EQ(notices.size(), 1U) << "byte " << at;
    ASSERT_EQ(read_bytes(path("snap:g")), bytes) << "byte " << at << ": must have been mended";
  }
  EXPECT_GT(held, 200U);
}

// Before, at and after each place where a part of the file begins.
TEST_F(Cache, CutAnywhereItIsRebuilt) {
  write_bytes(folder.file("g.txt"), "7 30\n30 1412\n30 30\n");
  const std::string text = "snap:g";
  const CsrGraph good = get(text);
  const std::string file = path(text);
  const std::string bytes = read_bytes(file);
  std::vector<std::size_t> cuts = {1, 8, 12, 16, 135, 136};
  for (std::size_t page = 0; page < bytes.size(); page += 4096) {
    for (const std::size_t at : {page, page + 1, page + 7, page + 4095}) cuts.push_back(at);
  }
  for (const std::size_t cut : cuts) {
    write_bytes(file, bytes.substr(0, cut));
    expect_equal(good, get(text, false, cut % 2 == 0));
    ASSERT_EQ(notices.size(), 1U) << "cut at " << cut;
    ASSERT_EQ(read_bytes(file), bytes) << "cut at " << cut;
  }
}

TEST_F(Cache, OlderAndNewerVersionsAreRebuilt) {
  const std::string text = "path:vertices=9";
  const CsrGraph good = get(text);
  const std::string file = path(text);
  const std::string bytes = read_bytes(file);
  for (const char version : {0, 2, 127}) {
    if (bytes[8] == version) continue;
    std::string other = bytes;
    other[8] = version;
    write_bytes(file, other);
    expect_equal(good, get(text));
    ASSERT_EQ(notices.size(), 1U);
    EXPECT_TRUE(contains(notices[0], "of the format")) << notices[0];
    EXPECT_EQ(read_bytes(file), bytes);
  }
}

TEST_F(Cache, SaysWhichVersionWroteTheFile) {
  const std::string text = "path:vertices=9";
  get(text);
  std::string bytes = read_bytes(path(text));
  bytes[8] = 99;
  write_bytes(path(text), bytes);
  get(text);
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_TRUE(contains(notices[0], "written in version 99 of the format")) << notices[0];
}

TEST_F(Cache, NoticesAnotherGraphUnderTheName) {
  get("path:vertices=9");
  get("path:vertices=8");
  std::filesystem::copy_file(path("path:vertices=9"), path("path:vertices=8"),
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(get("path:vertices=8").vertex_count(), 8U);
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_TRUE(contains(notices[0], "holds another graph"));
}

TEST_F(Cache, NoticesAChangedFile) {
  write_bytes(folder.file("g.txt"), "0 1\n");
  EXPECT_EQ(get("snap:g").vertex_count(), 2U);
  write_bytes(folder.file("g.txt"), "0 1\n1 2\n");
  EXPECT_EQ(get("snap:g").vertex_count(), 3U);
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_TRUE(contains(notices[0], "made from")) << notices[0];
  EXPECT_EQ(get("snap:g").vertex_count(), 3U);
  EXPECT_TRUE(notices.empty());
  // A missing file is an error, although its graph is still cached.
  std::filesystem::remove(folder.file("g.txt"));
  EXPECT_TRUE(contains(input_error([&] { get("snap:g"); }), "no file of it"));
}

// Two data folders, two copies of one file: the graph is built once, and stays.
TEST_F(Cache, GoesByWhatTheFileHoldsNotByWhereItLies) {
  const auto get_from = [&](const std::string& data) {
    notices.clear();
    LoadOptions options;
    options.data_folders = {folder.file(data)};
    options.cache_folder = folder.file("cache");
    options.notice = [&](const std::string& text) { notices.push_back(text); };
    return load_graph(GraphName::parse("snap:g"), options);
  };
  for (const char* data : {"a", "b"}) {
    std::filesystem::create_directories(folder.file(data));
    write_bytes(folder.file(std::string(data) + "/g.txt"), "0 1\n1 2\n");
  }
  std::filesystem::last_write_time(
      folder.file("b/g.txt"),
      std::filesystem::file_time_type::clock::now() - std::chrono::hours(9));
  for (const char* data : {"a", "b", "a", "b"}) {
    EXPECT_EQ(get_from(data).vertex_count(), 3U);
    EXPECT_TRUE(notices.empty()) << data << ": " << notices.front();
  }
  write_bytes(folder.file("b/g.txt"), "0 1\n2 0\n");  // of the same length, but another graph
  EXPECT_EQ(get_from("b").degree(0), 2U);
  EXPECT_EQ(notices.size(), 1U);
}

TEST(ContentStamp, IsOfTheContentsAlone) {
  const TemporaryFolder folder;
  const std::string file = folder.file("g.txt");
  const auto age = [&] {
    std::filesystem::last_write_time(
        file, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  };
  write_bytes(file, "0 1\n");
  age();
  const std::string first = content_stamp(file, 1);
  EXPECT_TRUE(contains(first, "4 bytes, contents ")) << first;
  EXPECT_EQ(content_stamp(file, 1), first);
  // Same size, same time of modification.
  write_bytes(file, "0 2\n");
  age();
  EXPECT_NE(content_stamp(file, 1), first);
  write_bytes(file, "0 1\n");
  EXPECT_EQ(content_stamp(file, 2), first);
  EXPECT_TRUE(contains(input_error([&] { content_stamp(folder.file("x"), 1); }), "cannot be read"));
  write_bytes(folder.file("empty"), "");
  EXPECT_TRUE(contains(content_stamp(folder.file("empty"), 1), "0 bytes"));
}

TEST_F(Cache, WritersAtOnceDoNotMix) {
  const std::string expected = load("kronecker:scale=10").identity().content_hash;
  std::vector<std::thread> threads;
  std::vector<std::string> hashes(4);
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    threads.emplace_back([&, i] {
      LoadOptions options;
      options.cache_folder = folder.file("cache");
      options.threads = 1;
      hashes[i] =
          load_graph(GraphName::parse("kronecker:scale=10"), options).identity().content_hash;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& hash : hashes) EXPECT_EQ(hash, expected);
  EXPECT_EQ(cached_files(), 1U) << "no temporary file is left";
  get("kronecker:scale=10");
  EXPECT_TRUE(notices.empty());
}

TEST_F(Cache, UnwritableFolderIsANotice) {
  write_bytes(folder.file("cache"), "a file where the folder should be");
  EXPECT_EQ(get("path:vertices=5").vertex_count(), 5U);
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_TRUE(contains(notices[0], "is not cached")) << notices[0];
}

// A limit on the size of files stops the write in the middle, as a full disk does.
TEST_F(Cache, FullDiskIsANoticeAndLeavesNothing) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 20000;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const CsrGraph graph = get("kronecker:scale=10");
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(graph.vertex_count(), 1024U);
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_TRUE(contains(notices[0], "is not cached")) << notices[0];
  EXPECT_TRUE(contains(notices[0], "ulimit -f")) << notices[0];
  EXPECT_EQ(cached_files(), 0U);
}

TEST_F(Cache, SweepsUpAfterKilledWriters) {
  get("path:vertices=3");
  const std::string old = path("path:vertices=3") + ".tmp-abcdef";
  const std::string live = path("path:vertices=3") + ".tmp-ghijkl";
  write_bytes(old, "x");
  write_bytes(live, "x");
  std::filesystem::last_write_time(
      old, std::filesystem::file_time_type::clock::now() - std::chrono::hours(2));
  get("path:vertices=4");
  EXPECT_FALSE(std::filesystem::exists(old));
  EXPECT_TRUE(std::filesystem::exists(live));
}

}  // namespace
}  // namespace bfslab::tests

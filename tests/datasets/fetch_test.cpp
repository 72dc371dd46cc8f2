// SPDX-License-Identifier: Apache-2.0
// The parts of a download that need no server: addresses, waits, what a file is, the part.
#include <gtest/gtest.h>

#include <filesystem>

#include "datasets/catalog/catalog.hpp"
#include "datasets/fetch/part_file.hpp"
#include "datasets/fetch/remote_graph.hpp"
#include "datasets/fetch/retry.hpp"
#include "datasets/fetch/verify.hpp"
#include "datasets/graph/types.hpp"
#include "datasets/name/addresses.hpp"
#include "tests/datasets/temporary_folder.hpp"

namespace bfslab {
namespace {

using tests::TemporaryFolder;
using tests::write_bytes;

RemoteGraph remote(const std::string& name) { return find_remote(name, GraphName::parse(name)); }

// Returns the files that a distributor's rule gives for a name that is not in the catalogue.
std::vector<OfferedFile> by_rule(const char* kind, const char* path) {
  EXPECT_EQ(catalog().find_graph(std::string(kind) + ':' + path), nullptr) << path;
  return offered_files(*find_named_kind(kind), path);
}

TEST(Distributors, AddressesFollowTheirRules) {
  EXPECT_EQ(by_rule("snap", "no-such").at(0).address,
            "https://snap.stanford.edu/data/no-such.txt.gz");
  const OfferedFile konect = by_rule("konect", "no-such").at(0);
  EXPECT_EQ(konect.address, "http://konect.cc/files/download.tsv.no-such.tar.bz2");
  EXPECT_EQ(konect.member, "out.*");
  EXPECT_EQ(konect.format, "konect");
  const OfferedFile matrix = by_rule("suitesparse", "DIMACS10/no-such").at(0);
  EXPECT_EQ(matrix.address, "https://sparse.tamu.edu/MM/DIMACS10/no-such.tar.gz");
  EXPECT_EQ(matrix.member, "no-such.mtx");
  EXPECT_EQ(by_rule("dimacs9", "USA-road-d.XX").at(0).address,
            "http://www.diag.uniroma1.it/challenge9/data/USA-road-d/USA-road-d.XX.gr.gz");
}

TEST(Distributors, HaveNoAddressForWhatTheirRulesDoNotCover) {
  EXPECT_TRUE(by_rule("dimacs9", "USA-road-d").empty());
  EXPECT_TRUE(by_rule("law", "no-such").empty());
  EXPECT_TRUE(by_rule("local", "no-such").empty());
}

TEST(Distributors, NamesThatCouldLeaveTheirFolderAreRefused) {
  for (const char* name : {"", "..", ".hidden", "a/b", "a b", "a%2fb", "a\\b", "a?b"}) {
    EXPECT_TRUE(by_rule("snap", name).empty()) << name;
    EXPECT_FALSE(wrong_named_path(*find_named_kind("snap"), name).empty()) << name;
  }
  for (const char* name : {"one", "/two", "one/", "../two", "one/..", "one/two/three"}) {
    EXPECT_TRUE(by_rule("suitesparse", name).empty()) << name;
    EXPECT_FALSE(wrong_named_path(*find_named_kind("suitesparse"), name).empty()) << name;
  }
}

TEST(Distributors, MirrorsLayFilesOutAsHostAndPath) {
  EXPECT_EQ(below_mirror("https://a.b/c/d.gz"), "a.b/c/d.gz");
  EXPECT_EQ(below_mirror("http://a.b/c"), "a.b/c");
  for (const char* address :
       {"ftp://a/b", "a/b", "https://", "https://a", "https://a/", "https://a//b", "https://../b",
        "https://a/../../b", "https://a/./b", "https://a/b\\c"}) {
    EXPECT_THROW(below_mirror(address), InputError) << address;
  }
}

TEST(RemoteGraph, EveryAddressOfTheCatalogueHasAPlace) {
  std::size_t files = 0;
  for (const CatalogEntry& entry : catalog().entries) {
    const GraphName name = GraphName::parse(entry.name);
    if (!is_remote(name)) continue;
    for (const RemoteFile& file : find_remote(entry.name, name).files) {
      EXPECT_FALSE(below_mirror(file.address).empty()) << entry.name;
      const bool archive = file.address.find(".tar") != std::string::npos;
      EXPECT_EQ(archive, !file.member.empty()) << file.address;
      ++files;
    }
  }
  EXPECT_GT(files, 20U);
}

TEST(RemoteGraph, AChecksumHoldsForOneFormOfAGraphOnly) {
  const RemoteGraph graph = remote("com-lj");  // SNAP's text, and SuiteSparse's matrix
  ASSERT_GE(graph.files.size(), 2U);
  EXPECT_FALSE(graph.files[0].sha256.empty());
  EXPECT_TRUE(graph.files[1].sha256.empty());
  EXPECT_EQ(graph.files[1].member, "com-LiveJournal.mtx");
}

TEST(RemoteGraph, ANameByRuleHasNoChecksum) {
  const RemoteGraph graph = remote("snap:no-such-graph,symmetrize=false");
  ASSERT_EQ(graph.files.size(), 1U);
  EXPECT_EQ(graph.files[0].address, "https://snap.stanford.edu/data/no-such-graph.txt.gz");
  EXPECT_TRUE(graph.files[0].sha256.empty());
  EXPECT_THROW(remote("path:vertices=3"), InputError);
}

TEST(Retry, WaitsAreDoubledBoundedAndScattered) {
  const RetryPolicy policy{7, 1, 10, 300};
  EXPECT_DOUBLE_EQ(*wait_before_retry(policy, 0, {}, 0), 0.5);
  EXPECT_DOUBLE_EQ(*wait_before_retry(policy, 2, {}, 0), 2);
  EXPECT_LT(*wait_before_retry(policy, 2, {}, 0.999), 4);
  EXPECT_DOUBLE_EQ(*wait_before_retry(policy, 6, {}, 0), 5);
  EXPECT_FALSE(wait_before_retry(policy, 7, {}, 0));
  EXPECT_DOUBLE_EQ(*wait_before_retry({1000, 1, 10, 300}, 999, {}, 0), 5);
}

TEST(Retry, WhatTheServerAsksForIsHonouredWithinReason) {
  const RetryPolicy policy{4, 1, 10, 300};
  EXPECT_DOUBLE_EQ(*wait_before_retry(policy, 0, 120, 0), 120);
  EXPECT_DOUBLE_EQ(*wait_before_retry(policy, 3, 1, 0), 4);
  EXPECT_FALSE(wait_before_retry(policy, 0, 301, 0));
}

class Verify : public ::testing::Test {
 protected:
  Verdict of(const std::string& content, const std::string& target,
             const std::string& sha256 = {}) {
    const std::string path = folder_.file("file.part");
    write_bytes(path, content);
    return verify_file(path, {target, {}, sha256}, {});
  }
  TemporaryFolder folder_;
};

TEST_F(Verify, APlainTextIsHeldAgainstItsChecksum) {
  // printf '1 2\n' | sha256sum
  const std::string sha256 = "f251ddc12234e0da8d3b778bd0f7463fb477f16f47757f5617dc8b4ff4d4f14a";
  EXPECT_EQ(of("1 2\n", "x.gr", sha256).state, Verdict::State::whole);
  const Verdict wrong = of("1 3\n", "x.gr", sha256);
  EXPECT_EQ(wrong.state, Verdict::State::mismatch);
  EXPECT_NE(wrong.reason.find(sha256), std::string::npos);
}

TEST_F(Verify, WebPagesAreKnownWhateverTheyAreCalled) {
  for (const char* page : {"<!DOCTYPE html>", "\n <html lang=en>", "<?xml version='1.0'?><html>",
                           "\xef\xbb\xbf<!-- moved --><html>"}) {
    for (const char* target : {"x.gr", "x.txt.gz", "x.tar.bz2"}) {
      const Verdict verdict = of(page, target);
      EXPECT_EQ(verdict.state, Verdict::State::damaged) << page << target;
      EXPECT_NE(verdict.reason.find("web page"), std::string::npos) << verdict.reason;
    }
  }
  EXPECT_EQ(of("# a comment <html>\n1 2\n", "x.txt").state, Verdict::State::whole);
}

TEST_F(Verify, AMessageShowsNoControlCharacters) {
  const Verdict verdict = of("\x1b[2J\x01hello\n\xff", "x.txt.gz");
  EXPECT_EQ(verdict.state, Verdict::State::damaged);
  for (const char c : verdict.reason) EXPECT_TRUE(c >= ' ' && c <= '~') << verdict.reason;
}

TEST(PartFile, KeepsItsOriginUntilItIsCommitted) {
  const TemporaryFolder folder;
  const std::string target = folder.file("a/b/file.gz");
  {
    PartFile part(target, {}, {});
    part.append("12345", 5);
    part.set_origin({"http://x/y", "\"tag\"", ""});
    part.cut(3);
    part.append("z", 1);
  }
  PartFile part(target, {}, {});
  EXPECT_EQ(part.size(), 4U);
  EXPECT_EQ(part.origin().address, "http://x/y");
  EXPECT_EQ(part.origin().validator(), "\"tag\"");
  part.commit();
  EXPECT_EQ(tests::read_bytes(target), "123z");
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
    files += entry.is_regular_file() ? 1 : 0;
  }
  EXPECT_EQ(files, 1U);
}

TEST(PartFile, AnEmptyPartLeavesNothingBehind) {
  const TemporaryFolder folder;
  { const PartFile part(folder.file("file.gz"), {}, {}); }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(PartFile, ATornOriginIsNone) {
  const TemporaryFolder folder;
  PartFile part(folder.file("file.gz"), {}, {});
  write_bytes(folder.file("file.gz.part.origin"), "http://x/y\n\"ta");
  EXPECT_TRUE(part.origin().address.empty());
  EXPECT_TRUE(part.origin().validator().empty());
  part.discard();
}

}  // namespace
}  // namespace bfslab

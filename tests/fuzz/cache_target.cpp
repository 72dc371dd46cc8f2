// SPDX-License-Identifier: Apache-2.0
// cache: a cache file as damage may leave it. Whatever it holds, the graph is the right one; and
// if the damage was noticed, the file is repaired.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "datasets/build/build.hpp"
#include "datasets/cache/cache.hpp"
#include "datasets/load_graph.hpp"
#include "tests/fuzz/scratch_folder.hpp"
#include "tests/fuzz/target.hpp"

namespace bfslab::fuzz {

namespace {

constexpr const char* kName = "fuzz:small";
constexpr const char* kSource = "made by hand";

CsrGraph build_small() {
  EdgeList list;
  list.vertex_count = 5;
  list.edges = Buffer<Edge>(6);
  const Edge edges[] = {{0, 1}, {1, 2}, {2, 2}, {3, 1}, {0, 1}, {4, 3}};
  std::copy(std::begin(edges), std::end(edges), list.edges.begin());
  list.labels = {3, 5, 8, 13, 21};
  list.provenance = {{"format", "fuzz"}};
  return build_csr(std::move(list), {.threads = 1}, "fuzz:");
}

// The cache asks for its own name, whatever build_csr calls the graph.
CsrGraph named() {
  const CsrGraph graph = build_small();
  static const CsrGraph kept = build_small();
  return {{kept.row_offsets(), kept.columns(), kept.input_edges(), kept.labels(), nullptr},
          graph.symmetric(),
          {kName, graph.identity().content_hash},
          graph.provenance()};
}

std::string read_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// 0: the file is what follows. Else edits of the good file: a byte changed, a cut, a tail, a page
// put in another's place.
std::string damaged(const std::string& good, Input input) {
  Numbers numbers(input);
  if (numbers.take<std::uint8_t>() == 0) return std::string(as_text(numbers.rest()));
  std::string bytes = good;
  while (!numbers.empty() && !bytes.empty()) {
    const auto what = numbers.take<std::uint8_t>();
    const std::size_t at = numbers.take<std::uint16_t>() % bytes.size();
    const auto value = numbers.take<std::uint8_t>();
    if (what < 200) {
      bytes[at] = static_cast<char>(bytes[at] ^ value);
    } else if (what < 220) {
      bytes.resize(at);
    } else if (what < 240) {
      bytes.append(value, 'x');
    } else {
      constexpr std::size_t kPage = 4096;
      const std::string page = bytes.substr(at / kPage * kPage, kPage);
      bytes.replace(value * kPage % bytes.size() / kPage * kPage, kPage, page);
    }
    bytes.resize(std::min<std::size_t>(bytes.size(), 1U << 16));
  }
  return bytes;
}

void check_same(const CsrGraph& a, const CsrGraph& b) {
  require(std::ranges::equal(a.row_offsets(), b.row_offsets()) &&
              std::ranges::equal(a.columns(), b.columns()) &&
              std::ranges::equal(a.input_edges(), b.input_edges()) &&
              std::ranges::equal(a.labels(), b.labels()) && a.first_label() == b.first_label() &&
              a.symmetric() == b.symmetric() && a.provenance() == b.provenance() &&
              a.identity().content_hash == b.identity().content_hash,
          "the damaged cache gave another graph");
}

void run(Input input) {
  static const ScratchFolder folder;
  static const CsrGraph graph = named();
  LoadOptions options;
  options.cache_folder = folder.path();
  options.threads = 1;
  int notices = 0;
  options.notice = [&](const std::string&) { ++notices; };
  const std::string path = cache_path(options.cache_folder, kName);
  const auto get = [&] { return cached(kName, kSource, options, named); };
  static const std::string good = [&] {
    check_same(get(), graph);
    return read_bytes(path);
  }();

  const std::string bytes = damaged(good, input);
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  options.huge_pages = input.size() % 2 == 0;
  check_same(get(), graph);
  require(bytes != good || notices == 0, "a good cache file was not taken");
  require(notices <= 1, "more than one notice");
  require(notices == 0 || read_bytes(path) == good, "the cache file was not mended");
}

}  // namespace

Target cache_target() { return {"cache", "a damaged file in the cache folder", run}; }

}  // namespace bfslab::fuzz

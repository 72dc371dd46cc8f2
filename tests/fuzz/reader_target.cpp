// SPDX-License-Identifier: Apache-2.0
// One target per row of the table of formats.
#include <fmt/format.h>

#include "datasets/build/build.hpp"
#include "datasets/graph/types.hpp"
#include "datasets/read/detect.hpp"
#include "datasets/read/reader.hpp"
#include "tests/fuzz/invariants.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/target.hpp"

namespace bfslab::fuzz {

namespace {

bool same_list(const EdgeList& a, const EdgeList& b) {
  return a.vertex_count == b.vertex_count && a.undirected == b.undirected && a.labels == b.labels &&
         a.first_label == b.first_label && a.edges.size() == b.edges.size() &&
         a.provenance == b.provenance;
}

CsrGraph build(EdgeList list, int threads, bool clean) {
  BuildOptions options;
  options.threads = threads;
  options.symmetrize = clean;
  options.drop_self_loops = clean;
  options.deduplicate = clean;
  return build_csr(std::move(list), options, "fuzz:");
}

// An edge takes at least two bytes of plain text ("1\n" of METIS); a packed file may hold any
// number of them.
std::size_t most_edges(Input input) {
  const std::string_view text = as_text(input);
  const bool packed = text.starts_with("\x1f\x8b") || text.starts_with("BZh") ||
                      text.starts_with("\x28\xb5\x2f\xfd") || text.starts_with("\x50\x2a\x4d\x18");
  return packed ? std::size_t{1} << 40 : input.size();
}

void read_and_check(const GraphFormat& format, Input input) {
  static MemoryFile file;
  file.assign(input);
  EdgeList one;
  try {
    one = format.read(file.path(), 1);
  } catch (const InputError& error) {
    const std::string message = error.what();
    require(message.starts_with(file.path() + ":"),
            "the message does not begin with the file: " + message);
    check_printable(message, "a message");
    throw;
  }
  // Two sets of vertices have labels of their own each, and relabelled graphs any order.
  const bool ascend = format.name == "snap";
  check_list(one, most_edges(input), ascend);
  EdgeList two = format.read(file.path(), 2);
  check_list(two, most_edges(input), ascend);
  require(same_list(one, two), "two threads read another list than one");
  if (!small_enough(one)) return;

  const auto edges = one.edges.size();
  const bool undirected = one.undirected;
  const CsrGraph as_given = build(format.read(file.path(), 1), 2, false);
  const CsrGraph alone = build(std::move(one), 1, true);
  const CsrGraph in_pair = build(std::move(two), 2, true);
  require(alone.identity().content_hash == in_pair.identity().content_hash,
          "two threads build another graph than one");
  check_graph(alone, true);
  check_graph(as_given, false);
  require(as_given.input_edge_count() == edges, "input edges are lost");
  require(undirected || as_given.edge_count() == edges, "edges are lost");
}

// With any name (the first byte chooses it), a file is read in a format or refused.
void detect_and_read(Input input) {
  static MemoryFile file;
  const auto& formats = graph_formats();
  Numbers numbers(input);
  const std::size_t choice = numbers.take<std::uint8_t>() % (formats.size() + 1);
  const GraphFormat* const claimed = choice < formats.size() ? &formats[choice] : nullptr;
  if (claimed != nullptr && claimed->from_path != nullptr) return;
  file.assign(numbers.rest());
  const Detected detected = detect_format(file.path(), {}, claimed);
  require(detected.format != nullptr, "no format, and no refusal");
  require(detected.format == claimed || !detected.why.empty(), "another format, and no reason");
  check_printable(detected.why, "a reason");
  check_list(detected.format->read(file.path(), 2), std::size_t{1} << 40, false);
}

}  // namespace

std::vector<Target> reader_targets() {
  std::vector<Target> all{{"detect", "what tells the format of a file", detect_and_read}};
  for (const GraphFormat& format : graph_formats()) {
    all.push_back({format.name, "the reader of " + format.name,
                   [&format](Input input) { read_and_check(format, input); }});
  }
  return all;
}

}  // namespace bfslab::fuzz

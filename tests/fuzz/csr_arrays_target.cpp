// SPDX-License-Identifier: Apache-2.0
// csr_arrays: the binary form with arbitrary arrays and correct checksums, as another
// program might write it. Mutating bytes of a file would never get past the checksums.
#include <unistd.h>

#include <filesystem>

#include "datasets/build/build.hpp"
#include "datasets/cache/csr_file.hpp"
#include "datasets/read/csr.hpp"
#include "tests/fuzz/invariants.hpp"
#include "tests/fuzz/scratch_folder.hpp"
#include "tests/fuzz/target.hpp"

namespace bfslab::fuzz {

namespace {

void run(Input input) {
  Numbers numbers(input);
  const auto flags = numbers.take<std::uint8_t>();
  const auto n = std::size_t{numbers.take<std::uint8_t>()} % 24;
  const auto m = std::size_t{numbers.take<std::uint8_t>()} % 64;
  std::vector<edge_t> offsets(n + 1);
  std::vector<vertex_t> columns(m);
  std::vector<std::uint32_t> input_edges((flags & 1) != 0 ? n : 0);
  std::vector<std::uint64_t> labels((flags & 2) != 0 ? n : 0);
  // Small numbers, or occasionally any.
  const bool wide = (flags & 4) != 0;
  const auto next = [&]() -> std::uint64_t {
    return wide ? numbers.take<std::uint64_t>() : numbers.take<std::uint8_t>();
  };
  for (edge_t& offset : offsets) offset = next();
  if ((flags & 8) == 0) {  // as they should be, so that what follows is reached
    for (std::size_t v = 0; v <= n; ++v) offsets[v] = m * v / std::max<std::size_t>(n, 1);
    offsets[n] = m;
  }
  for (vertex_t& column : columns) column = static_cast<vertex_t>(next());
  for (std::uint32_t& count : input_edges) count = static_cast<std::uint32_t>(next());
  for (std::uint64_t& label : labels) label = next();
  const CsrArrays arrays{offsets, columns, input_edges,
                         labels,  nullptr, (flags & 64) != 0 ? next() : 0};
  const bool symmetric = (flags & 16) != 0;
  const std::string hash = content_hash(CsrGraph(arrays, symmetric, {}, {}), 1);
  Provenance facts;
  if ((flags & 32) != 0) facts.emplace_back("file", std::string(as_text(numbers.rest())));
  static const ScratchFolder folder;
  const std::string path = folder.file("arrays.csr");
  write_csr_file(CsrGraph(arrays, symmetric, {"made:", hash}, facts), path, "fuzz", 1);

  const EdgeList list = read_csr(path, 1);
  check_list(list, m, false);
  EdgeList again = read_csr(path, 2);
  BuildOptions options;
  options.threads = 2;
  check_graph(build_csr(std::move(again), options, "fuzz:"), true);
}

}  // namespace

Target csr_arrays_target() {
  return {"csr_arrays", "the binary form, arbitrary arrays with correct checksums", run};
}

}  // namespace bfslab::fuzz

// SPDX-License-Identifier: Apache-2.0
#include "harness/run/read_only.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace bfslab {

ReadOnly::ReadOnly(const CsrGraph& graph) {
  const CsrGraph* const incoming = graph.incoming();
  for (const CsrGraph* each : {&graph, incoming == &graph ? nullptr : incoming}) {
    if (each == nullptr) continue;
    protect(each->row_offsets().data(), each->row_offsets().size_bytes());
    protect(each->columns().data(), each->columns().size_bytes());
    protect(each->input_edges().data(), each->input_edges().size_bytes());
  }
}

ReadOnly::~ReadOnly() {
  // A mapped file was read-only before, and stays so.
  for (const auto& [address, bytes] : pages_) ::mprotect(address, bytes, PROT_READ | PROT_WRITE);
}

void ReadOnly::protect(const void* data, std::size_t bytes) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  const std::size_t skipped = (page - address % page) % page;
  if (data == nullptr || bytes < skipped + page) return;
  void* const begin = static_cast<char*>(const_cast<void*>(data)) + skipped;
  const std::size_t whole = (bytes - skipped) / page * page;
  if (::mprotect(begin, whole, PROT_READ) == 0) pages_.emplace_back(begin, whole);
}

}  // namespace bfslab

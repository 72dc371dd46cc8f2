// SPDX-License-Identifier: Apache-2.0
#include "harness/check/host_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "kernels/device_services.hpp"

namespace bfslab {

namespace {

constexpr std::uint32_t kNoPart = std::numeric_limits<std::uint32_t>::max();

// Copies `count` words into `to`. Null stays null: that half was not requested.
const std::uint32_t* copied(const std::uint32_t* from, std::uint64_t count,
                            std::vector<std::uint32_t>& to) {
  if (from == nullptr) return nullptr;
  to.resize(count);
  gpu::copy_to_host(to.data(), from, count * sizeof(std::uint32_t));
  return to.data();
}

void require_same_halves(const std::vector<AnswerPart>& parts, const AnswerPart& first) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const AnswerPart& part = parts[i];
    if (part.ids.count == 0) continue;
    if ((part.levels == nullptr) != (first.levels == nullptr) ||
        (part.parents == nullptr) != (first.parents == nullptr)) {
      throw MalformedAnswer(fmt::format(
          "part {} of the answer has other halves (levels, parents) than the parts before it", i));
    }
  }
}

}  // namespace

// Notes the vertices of the part. Throws MalformedAnswer if one of them does not exist, or
// if a part before it has it, too.
void HostAnswer::claim(const AnswerPart& part, std::uint32_t number) {
  const std::uint64_t n = owners_.size();
  for (std::uint64_t i = 0; i < part.ids.count; ++i) {
    const std::uint64_t v = part.ids[i];
    if (v >= n) {
      throw MalformedAnswer(fmt::format(
          "part {} of the answer (rank {}) holds vertex {}, and there are only {} vertices", number,
          part.rank, v, n));
    }
    if (owners_[v] != kNoPart) {
      throw MalformedAnswer(fmt::format("vertex {} is in part {} of the answer and in part {}", v,
                                        owners_[v], number));
    }
    owners_[v] = number;
  }
}

void HostAnswer::place(const AnswerPart& part, const std::uint32_t* from,
                       std::vector<std::uint32_t>& to) {
  if (from == nullptr) return;
  if (part.space == MemorySpace::device) from = copied(from, part.ids.count, copied_);
  for (std::uint64_t i = 0; i < part.ids.count; ++i) to[part.ids[i]] = from[i];
}

WholeAnswer HostAnswer::take(const AnswerView& answer) {
  if (const auto whole = as_whole(answer)) {
    if (whole->space == MemorySpace::host) return *whole;
    return {MemorySpace::host, whole->vertex_count,
            copied(whole->levels, whole->vertex_count, levels_),
            copied(whole->parents, whole->vertex_count, parents_)};
  }
  const std::uint64_t n = answer.vertex_count;
  const auto& parts = answer.parts;
  if (n > std::numeric_limits<vertex_t>::max()) {
    throw MalformedAnswer(fmt::format("an answer of {} vertices does not fit one host's check", n));
  }
  owners_.assign(n, kNoPart);
  for (std::uint32_t i = 0; i < parts.size(); ++i) claim(parts[i], i);
  if (const auto lost = std::ranges::find(owners_, kNoPart); lost != owners_.end()) {
    throw MalformedAnswer(
        fmt::format("vertex {} is in no part of the answer", lost - owners_.begin()));
  }
  WholeAnswer gathered{MemorySpace::host, static_cast<vertex_t>(n)};
  const auto any = std::ranges::find_if(parts, [](const auto& part) { return part.ids.count > 0; });
  if (any == parts.end()) return gathered;
  require_same_halves(parts, *any);
  if (any->levels != nullptr) {
    levels_.resize(n);
    gathered.levels = levels_.data();
  }
  if (any->parents != nullptr) {
    parents_.resize(n);
    gathered.parents = parents_.data();
  }
  for (const AnswerPart& part : parts) {
    place(part, part.levels, levels_);
    place(part, part.parents, parents_);
  }
  return gathered;
}

}  // namespace bfslab

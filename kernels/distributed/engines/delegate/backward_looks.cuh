// SPDX-License-Identifier: Apache-2.0
// The tasks of backward visits of `delegate-cuda`, which backward_rows.cuh shares out: who looks
// for parents, and where. Normal vertices look along nd, which is dn reversed; delegates look along
// dn for nd, and along dd.
#pragma once

#include <type_traits>

#include "kernels/cuda/device/stress.cuh"
#include "kernels/cuda/traversal/bits.cuh"
#include "kernels/distributed/engines/delegate/edge_actions.cuh"
#include "kernels/distributed/engines/delegate/look_space.cuh"
#include "kernels/distributed/engines/delegate/look_words.hpp"
#include "kernels/distributed/ownership.hpp"

namespace bfslab::distributed::delegate {

// Bits of 32 vertices: those with edges in the subgraph, and those that need not look.
struct CandidateWords {
  std::uint32_t sources = 0;
  std::uint32_t known = 0;
  std::uint32_t of_owner = 0;  // known to the word's owner, where it was asked

  [[nodiscard]] __device__ std::uint32_t open() const { return sources & ~known; }
};

using FrontierBits = cuda::KeptBits<kLookThreads>;

// Unvisited normal vertices with edges in nd look for delegates of the frontier.
struct NormalsLook {
  static constexpr bool kLooksAtFirst = true;  // entries, in the order of candidates, before others

  NormalView normals;
  const std::uint32_t* sources = nullptr;  // bits: with edges in nd
  const FirstEntry* first = nullptr;       // of each row
  FrontierBits parents;
  const vertex_t* names = nullptr;
  // Bits of vertices whose parent is the first entry of their row. That parent is not written,
  // since each scattered store of four bytes costs the memory 32. Null: no parents.
  std::uint32_t* found_first = nullptr;

  [[nodiscard]] __device__ CandidateWords words_at(std::size_t word) const {
    return {sources[word], fresh(normals.reached + word)};
  }
  [[nodiscard]] __device__ std::uint32_t candidates(const CandidateWords& words,
                                                    std::size_t /*word*/) const {
    return words.open();
  }
  [[nodiscard]] __device__ bool keeps_parents() const { return normals.parents != nullptr; }
  // Notes u as the parent of v, whose bit is set by set_found() afterwards.
  __device__ void found(local_vertex_t v, local_vertex_t u) const {
    if (keeps_parents()) normals.parents[v] = names[u];
  }
  // Returns true if parents that are first entries are noted as bits, a word at once.
  [[nodiscard]] __device__ static constexpr bool notes_first() { return true; }
  __device__ void note_first(std::size_t word, std::uint32_t bits) const {
    if (found_first != nullptr && bits != 0) atomicOr(found_first + word, bits);
  }
  [[nodiscard]] __device__ LookWords words_of(std::size_t all) const { return LookWords(all); }
  __device__ void set_found(std::size_t word, std::uint32_t bits) const {
    atomicOr(normals.reached + word, bits);
  }
  // Returns true if a candidate has found a parent meanwhile.
  [[nodiscard]] __device__ bool has_found(local_vertex_t v) const { return !normals.open(v); }
};

// The delegates that look. A member has all neighbours of higher degree of the delegates that it
// owns, and other members have only ones of lower degree (Algorithm 1): if the owners look first
// and share what they find, few are left for the others.
struct LookingDelegates {
  enum Set { all, own, others };
  Set set = all;
  DelegateStripes stripes;
  unsigned me = 0;
  // DelegateView::known of the members; null: the others are not asked.
  const std::uint32_t* const* known = nullptr;

  [[nodiscard]] __device__ bool is_own(std::size_t word) const {
    return stripes.owner_of_word(word) == me;
  }
  // Returns what the word's owner has found, which the others take before they look.
  [[nodiscard]] __device__ std::uint32_t of_owner(std::size_t word) const {
    return set == others && !is_own(word) ? fresh(known[stripes.owner_of_word(word)] + word) : 0;
  }
  // Returns those of `bits` that are to look. Only the word's owner is asked for what it has found:
  // it looks first, and others find little besides.
  [[nodiscard]] __device__ std::uint32_t select(std::uint32_t bits, std::size_t word) const {
    if (known == nullptr || set == own || bits == 0) return bits;
    if (is_own(word)) return set == others ? 0 : bits;
    return set == others ? bits : bits & ~fresh(known[stripes.owner_of_word(word)] + word);
  }
};

// Unvisited delegates with edges in dn or dd look for their parents there: for normal vertices, or
// kIntoDelegates. A normal vertex that was reached before this level, beside a delegate that was
// not, was reached in the level before, and so is in the frontier.
template <bool kIntoDelegates>
struct DelegatesLook {
  static constexpr bool kLooksAtFirst = kIntoDelegates;

  DelegateView delegates;
  const std::uint32_t* sources = nullptr;  // bits: with edges in the subgraph
  const FirstEntry* first = nullptr;       // of each row, where they are looked at
  // Bits of the frontier's delegates, or of the normal vertices that were reached.
  std::conditional_t<kIntoDelegates, FrontierBits, cuda::PlainBits> parents;
  NormalNames normals;
  LookingDelegates looking;

  [[nodiscard]] __device__ CandidateWords words_at(std::size_t word) const {
    return {sources[word], fresh(delegates.known + word), looking.of_owner(word)};
  }
  // Takes what the word's owner has found, where it was asked, once for all that follows. Blocks
  // that are done here go on to nd meanwhile, and find others of the same word.
  [[nodiscard]] __device__ std::uint32_t candidates(CandidateWords words, std::size_t word) const {
    const std::uint32_t theirs = words.of_owner & ~words.known;
    if (theirs != 0) {
      cuda::stress_pause();
      atomicOr(delegates.known + word, theirs);
      words.known |= theirs;
    }
    return looking.select(words.open(), word);
  }
  // The following have the contracts of NormalsLook.
  [[nodiscard]] __device__ bool keeps_parents() const { return delegates.parents != nullptr; }
  __device__ void found(local_vertex_t u, local_vertex_t by) const {
    if (!keeps_parents()) return;
    delegates.parents[u] = kIntoDelegates ? delegates.names[by] : normals.name(by);
  }
  [[nodiscard]] __device__ static constexpr bool notes_first() { return false; }
  __device__ void set_found(std::size_t word, std::uint32_t bits) const {
    atomicOr(delegates.known + word, bits);
    // All words that owners find before the others look are read: no need to touch them.
    if (looking.set != LookingDelegates::own) delegates.touch(word);
  }
  [[nodiscard]] __device__ bool has_found(local_vertex_t u) const {
    return (fresh(delegates.known + u / 32) >> u % 32 & 1U) != 0;
  }
  [[nodiscard]] __device__ LookWords words_of(std::size_t all) const {
    return looking.set == LookingDelegates::own
               ? LookWords(all, looking.stripes.members.value(), looking.me)
               : LookWords(all);
  }
};

}  // namespace bfslab::distributed::delegate

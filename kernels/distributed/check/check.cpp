// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/check/check.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

#include "kernels/answer_rules.hpp"

namespace bfslab::distributed {

namespace {

// True if `a` is to be reported before `b`: by rule, then by vertex.
bool before(const Violation& a, const Violation& b) {
  return std::tie(a.rule, a.vertex, a.other) < std::tie(b.rule, b.vertex, b.other);
}

// Asks the owners of `vertices` for a value each: answer(local id) there. Collective.
template <typename Value, typename AnswerOf>
std::vector<Value> ask(Communicator& all, const Ownership& ownership,
                       std::span<const global_vertex_t> vertices, AnswerOf&& answer) {
  std::vector<std::vector<global_vertex_t>> questions(all.size());
  for (const global_vertex_t v : vertices) questions[ownership.owner(v)].push_back(v);
  std::vector<std::vector<Value>> answers(all.size());
  const std::vector<Bytes> asked = all.all_to_all(as_lists(questions));
  for (unsigned from = 0; from < all.size(); ++from) {
    for (const global_vertex_t v : values_of<global_vertex_t>(asked[from])) {
      answers[from].push_back(answer(ownership.local(v)));
    }
  }
  const std::vector<Bytes> replies = all.all_to_all(as_lists(answers));
  std::vector<std::size_t> next(all.size(), 0);
  std::vector<Value> values;
  values.reserve(vertices.size());
  for (const global_vertex_t v : vertices) {
    const unsigned owner = ownership.owner(v);
    values.push_back(values_of<Value>(replies[owner])[next[owner]++]);
  }
  all.barrier();  // before `answers` goes
  return values;
}

class Examination {
 public:
  Examination(Member& member, const EdgeShare& share, const Ownership& ownership,
              global_vertex_t source, const AnswerPart& part)
      : all_(*member.all),
        me_(member.index()),
        share_(share),
        own_(ownership),
        source_(source),
        count_(ownership.count(me_)),
        levels_(part.levels),
        parents_(part.parents) {
    // A member that owns nothing may have null for both halves.
    has_levels_ = all_.maximum(part.levels != nullptr ? 1 : 0) != 0;
    has_parents_ = all_.maximum(part.parents != nullptr ? 1 : 0) != 0;
  }

  [[nodiscard]] bool has_levels() const { return has_levels_; }

  // True where every rule up to now holds on all members.
  bool holds() { return all_.minimum(worst_.rule) == Violation::kNone; }

  void check_vertices() {
    for (std::uint64_t i = 0; i < count_; ++i) {
      const global_vertex_t v = vertex(i);
      if (v == source_ &&
          ((has_levels_ && levels_[i] != 0) || (has_parents_ && parents_[i] != v))) {
        note(Rule::source_is_root, i);
      }
      if (has_levels_ && ((levels_[i] >= share_.vertices() && levels_[i] != kUnreached) ||
                          (levels_[i] == 0 && v != source_))) {
        note(Rule::levels_in_range, i);
      }
      if (has_parents_ && parents_[i] >= share_.vertices() && parents_[i] != kNoVertex) {
        note(Rule::parents_in_range, i);
      }
      if (has_levels_ && has_parents_ && (levels_[i] == kUnreached) != (parents_[i] == kNoVertex)) {
        note(Rule::halves_agree, i);
      }
    }
  }

  // The levels that the tree implies, by doubling: of each vertex an ancestor and how far up it is.
  // After k rounds that is 2^k, or the source.
  void derive_levels() {
    struct Climb {
      global_vertex_t ancestor;
      std::uint64_t steps;
    };
    std::vector<Climb> climbs(count_);
    for (std::uint64_t i = 0; i < count_; ++i) {
      const bool reached = parents_[i] != kNoVertex;
      climbs[i] = {reached ? parents_[i] : Violation::kNone,
                   reached && vertex(i) != source_ ? 1U : 0U};
    }
    const int rounds = std::bit_width(share_.vertices()) + 1;
    constexpr std::uint64_t kPortion = std::uint64_t{1} << 20;
    const std::uint64_t portions = all_.maximum((count_ + kPortion - 1) / kPortion);
    for (int round = 0; round < rounds; ++round) {
      std::vector<Climb> next = climbs;
      std::uint64_t asked = 0;
      for (std::uint64_t portion = 0; portion < portions; ++portion) {
        std::vector<global_vertex_t> ancestors;
        std::vector<std::uint64_t> askers;
        const std::uint64_t end = std::min(count_, (portion + 1) * kPortion);
        for (std::uint64_t i = portion * kPortion; i < end; ++i) {
          if (climbs[i].ancestor == Violation::kNone || climbs[i].ancestor == source_) continue;
          ancestors.push_back(climbs[i].ancestor);
          askers.push_back(i);
        }
        const std::vector<Climb> above =
            ask<Climb>(all_, own_, ancestors, [&](std::uint64_t i) { return climbs[i]; });
        for (std::size_t k = 0; k < askers.size(); ++k) {
          next[askers[k]] = {above[k].ancestor, climbs[askers[k]].steps + above[k].steps};
        }
        asked += askers.size();
      }
      climbs = std::move(next);
      if (all_.sum(asked) == 0) break;
    }
    derived_.assign(count_, kUnreached);
    for (std::uint64_t i = 0; i < count_; ++i) {
      if (parents_[i] == kNoVertex) continue;
      if (climbs[i].ancestor == source_) {
        derived_[i] = static_cast<level_t>(climbs[i].steps);
      } else {
        note(Rule::parents_form_a_tree, i);
      }
    }
    levels_ = derived_.data();
    has_levels_ = true;
  }

  // Every directed entry that comes of the tuples: first to the owner of its tail, then on to the
  // owner of its head.
  void check_edges() {
    struct Half {
      global_vertex_t from, to;
    };
    struct Entry {
      global_vertex_t from, to;
      Word level;  // of `from`
    };
    constexpr std::uint8_t kParentFound = 1;
    constexpr std::uint8_t kSupported = 2;
    std::vector<std::uint8_t> seen(count_, 0);
    std::vector<std::vector<Entry>> passed_on(all_.size());
    const auto each = [&](const GlobalEdge& edge, auto& send) {
      for_each_entry(edge, share_.rules(), [&](global_vertex_t from, global_vertex_t to) {
        send(own_.owner(from), Half{from, to});
      });
    };
    const auto take = [&](std::span<const Half> halves, unsigned from) {
      for (const Half& half : halves) {
        passed_on[own_.owner(half.to)].push_back(
            {half.from, half.to, levels_[own_.local(half.from)]});
      }
      if (from + 1 < all_.size()) return;  // the portion's last list: pass all of it on
      for (const Bytes list : all_.all_to_all(as_lists(passed_on))) {
        for (const Entry& entry : values_of<Entry>(list)) {
          const std::uint64_t i = own_.local(entry.to);
          const Word level = levels_[i];
          if (entry.level != kUnreached && level > entry.level + 1) {
            note({static_cast<Word>(Rule::edges_span_one_level), entry.from, entry.to, entry.level,
                  level});
          }
          if (level == kUnreached) continue;
          if (entry.level != kUnreached && entry.level + 1 == level) seen[i] |= kSupported;
          if (!has_parents_ || parents_[i] != entry.from) continue;
          seen[i] |= kParentFound;
          if (entry.to != source_ && entry.level + 1 != level) {
            note({static_cast<Word>(Rule::parents_one_level_up), entry.to, entry.from, level,
                  entry.level});
          }
        }
      }
      all_.barrier();
      for (std::vector<Entry>& list : passed_on) list.clear();
    };
    route_edges<Half>(share_, all_, each, take);
    for (std::uint64_t i = 0; i < count_; ++i) {
      if (levels_[i] == kUnreached || vertex(i) == source_) continue;
      if (has_parents_ && (seen[i] & kParentFound) == 0) {
        note(Rule::parents_are_neighbors, i);
      }
      if (!has_parents_ && (seen[i] & kSupported) == 0) note(Rule::levels_are_supported, i);
    }
  }

  // The first rule that is broken and its smallest vertex, on all members.
  CheckResult verdict() {
    std::vector<Violation> all(all_.size());
    all_.all_gather(std::as_bytes(std::span(&worst_, 1)), std::as_writable_bytes(std::span(all)));
    const Violation first = *std::ranges::min_element(all, before);
    return first.rule == Violation::kNone ? CheckResult{}
                                          : refused(sentence(first, source_, share_.vertices()));
  }

  void count(const std::vector<std::uint32_t>& input_edges, CheckResult& result) {
    Word sums[3] = {};
    Word levels = 0;
    for (std::uint64_t i = 0; i < count_; ++i) {
      if (levels_[i] == kUnreached) continue;
      ++sums[0];
      sums[1] += input_edges[i];
      sums[2] += levels_[i];
      levels = std::max(levels, Word{levels_[i]} + 1);
    }
    all_.all_reduce(sums, Reduction::sum);
    result.reached_vertices = sums[0];
    result.component_input_edges = sums[1];
    result.level_sum = sums[2];
    result.levels = all_.maximum(levels);
  }

 private:
  [[nodiscard]] global_vertex_t vertex(std::uint64_t i) const { return own_.global(me_, i); }

  void note(const Violation& violation) {
    if (before(violation, worst_)) worst_ = violation;
  }
  void note(Rule rule, std::uint64_t i) {
    const Word level = has_levels_ ? levels_[i] : 0;
    const bool orphan = !has_parents_ || parents_[i] == kNoVertex;
    note({static_cast<Word>(rule), vertex(i), orphan ? Violation::kNone : parents_[i], level,
          kUnreached});
  }

  Communicator& all_;
  unsigned me_;
  const EdgeShare& share_;
  const Ownership& own_;
  global_vertex_t source_;
  std::uint64_t count_;
  const level_t* levels_;
  const vertex_t* parents_;
  bool has_levels_ = false;
  bool has_parents_ = false;
  std::vector<level_t> derived_;
  Violation worst_;
};

}  // namespace

AnswerChecker::AnswerChecker(Member& member, const EdgeShare& share, const Ownership& ownership)
    : share_(share), ownership_(ownership), input_edges_(ownership.count(member.index()), 0) {
  Communicator& all = *member.all;
  const std::optional<InputEdges> given = share.input_edges();
  if (!given) {
    route_edges<global_vertex_t>(
        share, all,
        [&](const GlobalEdge& edge, auto& send) { send(ownership_.owner(edge.from), edge.from); },
        [&](std::span<const global_vertex_t> firsts, unsigned) {
          for (const global_vertex_t v : firsts) ++input_edges_[ownership_.local(v)];
        });
    return;
  }
  struct Count {
    global_vertex_t vertex;
    Word count;
  };
  std::vector<std::vector<Count>> lists(all.size());
  for (std::uint64_t i = 0; i < given->counts.size(); ++i) {
    const global_vertex_t v = given->first + i;
    lists[ownership_.owner(v)].push_back({v, given->counts[i]});
  }
  for (const Bytes list : all.all_to_all(as_lists(lists))) {
    for (const auto& [v, count] : values_of<Count>(list)) {
      input_edges_[ownership_.local(v)] = static_cast<std::uint32_t>(count);
    }
  }
  all.barrier();
}

CheckResult AnswerChecker::check(Member& member, global_vertex_t source, const AnswerPart& part,
                                 bool rules) {
  Examination examination(member, share_, ownership_, source, part);
  CheckResult result;
  // If the answer has no levels, those that the counts need are derived from the tree.
  if (rules || !examination.has_levels()) {
    examination.check_vertices();
    if (examination.holds() && !examination.has_levels()) examination.derive_levels();
    if (rules && examination.holds()) examination.check_edges();
    result = examination.verdict();
  }
  if (result.ok) examination.count(input_edges_, result);
  return result;
}

}  // namespace bfslab::distributed

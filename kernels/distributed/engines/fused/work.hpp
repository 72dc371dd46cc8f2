// SPDX-License-Identifier: Apache-2.0
// The arguments of a member's kernels (cuda/fused/member.hpp) in `fused-gpus`, from its rows and
// its memory. The others' arrays are named by all members together.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cuda/fused/member_answers.hpp"
#include "kernels/cuda/fused/member_toggles.hpp"
#include "kernels/distributed/communicator/device_team.hpp"
#include "kernels/distributed/engines/fused/memory.hpp"
#include "kernels/distributed/engines/fused/rows.hpp"

namespace bfslab::distributed::fused {

// Sets the vertices to search: all that have edges or, if `apart`, those that are not leaves.
// `warps` of the member's grid.
template <typename Offset>
void set_leaves(cuda::FusedMember<Offset>& work, const DealtRows& rows, bool apart,
                std::uint32_t warps) {
  const unsigned me = work.team.me;
  for (unsigned m = 0; m < work.team.members; ++m)
    work.vertices_of[m] = rows.vertices_of(m, !apart);
  work.leaves = apart ? rows.leaves_of[me] : 0;
  cuda::search_own(work, me, warps);
}

// Makes the argument, except what set_leaves() and name_others() set. `offsets` of the rows.
template <typename Offset>
cuda::FusedMember<Offset> make_work(const Offset* offsets, const DealtRows& rows,
                                    const SharedMemory& shared, const OwnMemory& own,
                                    const cuda::FusedMemberSettings& settings,
                                    const cuda::MeetingView& team) {
  cuda::FusedMember<Offset> made;
  made.out = {offsets, rows.rows.columns.data()};
  made.in = made.out;
  made.degree_rows = rows.degree_rows.data();
  made.deal = rows.deal;
  made.ones_from = rows.deal.share(rows.ones_from, team.me);
  made.labels_late = settings.labels_late;
  made.begins_at_row = settings.begins_at_row;
  made.lists_few = settings.lists_few;
  made.visited = shared.visited.data();
  made.seen = shared.seen.data();
  made.levels = shared.levels.data();
  made.parents = shared.parents.size() > 0 ? shared.parents.data() : nullptr;
  made.first = shared.first.data();
  for (unsigned i = 0; i < 2; ++i) {
    made.front[i] = shared.front[i].data();
    made.queues[i] = own.queues[i].data();
  }
  made.queue_room = own.queues[0].size();
  made.sums = own.sums.view(32);
  made.claimed = own.claimed.data();
  made.slots = {own.slots.data()};
  made.totals = {own.totals.data()};
  made.state = own.state.data();
  made.step = own.step.data();
  made.blocks_arrived = own.blocks_arrived.data();
  made.rules = settings.rules;
  made.team = team;
  made.numbers = rows.numbers;
  made.all_words = rows.numbers / 32 * team.members;
  made.logs_own = made.ends_met = true;
  if (shared.packed.size() > 0) made.packed = shared.packed.data();
  made.place_owners = team.members;
  return made;
}

// Names the arrays of all members in `made`, and in `map`, by which answers are put in place.
// `offsets` and `columns` of the rows. Collective.
template <typename Offset>
void name_others(DeviceTeam& team, const SharedMemory& shared,
                 const cuda::DeviceBuffer<Offset>& offsets,
                 const cuda::DeviceBuffer<vertex_t>& columns, cuda::FusedMember<Offset>& made,
                 cuda::FusedMemberAnswers& map) {
  const auto each = [&](const auto& buffer, const auto& set) {
    const auto all = team.addresses_of(buffer);
    for (unsigned m = 0; m < all.size(); ++m) set(m, all[m]);
  };
  if (made.begins_at_row) {
    each(offsets, [&](unsigned m, Offset* at) { made.offsets_of[m] = at; });
    each(columns, [&](unsigned m, vertex_t* at) { made.columns_of[m] = at; });
  }
  each(shared.first, [&](unsigned m, vertex_t* at) { made.first_of[m] = at; });
  each(shared.visited, [&](unsigned m, std::uint32_t* at) { made.visited_by[m] = at; });
  each(shared.seen, [&](unsigned m, std::uint32_t* at) { made.seen_by[m] = at; });
  for (unsigned i = 0; i < 2; ++i) {
    each(shared.front[i], [&](unsigned m, std::uint32_t* at) { made.fronts[m][i] = at; });
  }
  each(shared.levels, [&](unsigned m, level_t* at) { made.levels_of[m] = at; });
  each(shared.parents, [&](unsigned m, vertex_t* at) { made.parents_of[m] = at; });
  each(shared.places, [&](unsigned m, vertex_t* at) { made.places_of[m] = at; });
  each(shared.sums, [&](unsigned m, cuda::FusedSums* at) { made.sums_of[m] = at; });
  each(shared.packed, [&](unsigned m, std::uint8_t* at) { map.packed_of[m] = at; });
  std::ranges::copy(made.levels_of, map.levels_of);
  std::ranges::copy(made.parents_of, map.parents_of);
}

}  // namespace bfslab::distributed::fused

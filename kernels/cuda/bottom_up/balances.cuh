// SPDX-License-Identifier: Apache-2.0
// All bottom-up balances, from the table of kernels/gpu_parts.hpp.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "kernels/cuda/bottom_up/degree_classes.cuh"
#include "kernels/cuda/bottom_up/donation.cuh"
#include "kernels/cuda/bottom_up/static.cuh"
#include "kernels/cuda/bottom_up/thread_bounded.cuh"
#include "kernels/cuda/bottom_up/thread_centric.cuh"
#include "kernels/cuda/bottom_up/warp_ahead.cuh"
#include "kernels/cuda/bottom_up/warp_centric.cuh"
#include "kernels/gpu_parts.hpp"

namespace bfslab::cuda {

// unvisited_list.cuh and first_neighbors_level.cuh replace a balance.
struct ByList {};
struct ByFirstNeighbors {};
template <typename Balance>
inline constexpr bool kKeepsBits =
    std::is_same_v<Balance, ByList> || std::is_same_v<Balance, ByFirstNeighbors>;

// In the order of kBalances.
using Balances = std::tuple<BalanceByDegree, StaticBalance, ThreadCentric, ThreadBounded,
                            WarpCentric, WarpAhead, Donation, ByList, ByFirstNeighbors>;

// Calls `visit.template operator()<B>()`, where B is the struct of that balance.
template <typename Visit>
void with_balance(BalanceBy balance, Visit&& visit) {
  [&]<std::size_t... kRow>(std::index_sequence<kRow...>) {
    ((kRow == static_cast<std::size_t>(balance)
          ? visit.template operator()<std::tuple_element_t<kRow, Balances>>()
          : void()),
     ...);
  }
  (std::make_index_sequence<std::size(kBalances)>());
}

}  // namespace bfslab::cuda

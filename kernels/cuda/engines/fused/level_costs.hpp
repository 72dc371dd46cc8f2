// SPDX-License-Identifier: Apache-2.0
// Where `fused` turns bottom-up and back on a graph, chosen at set-up by the time that each level
// of a few searches would take either way.
//
// Searches from a few sources, all levels top-down, give the numbers that a level's time depends
// on: the frontier's vertices and edges, and the entries that unvisited vertices would read. They
// do not depend on the run, and so neither do the choice and the counts of later searches. It
// depends on the graph how many edges a frontier needs before bottom-up pays: on Kronecker graphs a
// fifteenth of those left, since hubs are found first, and on crawls a third, since most rows are
// read in vain.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/cuda/fused/rules.hpp"

namespace bfslab::cuda {

// The vertices of a level, or those that a search has not reached.
struct FusedLevelNumbers {
  unsigned long long vertices = 0;
  unsigned long long edges = 0;    // their out-degrees
  unsigned long long entries = 0;  // their in-degrees
  // Entries up to their first parent, of those whose first entry is none.
  unsigned long long looks = 0;
  unsigned long long long_rows = 0;  // rows of more than kLongRow entries

  static constexpr std::uint64_t kLongRow = 81;  // a warp puts aside the rest of a longer one
};

// A search by levels. The last entry has all levels from kLevels - 1 on.
struct FusedProfile {
  static constexpr unsigned kLevels = 64;

  std::vector<FusedLevelNumbers> levels;
  FusedLevelNumbers unreached;
};

// Microseconds on an H200, fitted to 335 levels of a crawl, two web and three social graphs and a
// mesh, each way (docs/fused.md). On other GPUs only their ratios matter.
struct FusedLevelCosts {
  double small = 2;  // of one block
  double down = 6.2;
  double edge = 24e-6;  // of the frontier, top-down
  double find = 62e-6;  // top-down
  double back = 3;      // the queue of a frontier that bottom-up has found
  double up = 4.7;
  double open = 4e-6;      // per unvisited vertex
  double misses = 3.8;     // some vertices look beyond their first entry
  double look = 4.9e-6;    // of these vertices, per entry
  double long_rows = 6.2;  // some rows are put aside for the whole grid
};

// Returns the expected microseconds of a search, without its reset and its end.
double expected_us(const FusedRules& rules, const FusedProfile& search,
                   const FusedLevelCosts& costs = {});

// Returns the rules with those alpha and beta, of some that are tried, by which the searches are
// expected to take the least time together; where several do nearly, those in the middle. Only
// rules that are `careful` get another alpha, and only those of beta = 0 another beta.
FusedRules best_turns(FusedRules rules, std::span<const FusedProfile> searches,
                      const FusedLevelCosts& costs = {});

}  // namespace bfslab::cuda

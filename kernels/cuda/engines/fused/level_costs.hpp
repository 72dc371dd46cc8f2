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

// Microseconds on an H200, fitted to levels of a crawl, two web and three social graphs, a mesh,
// Kronecker graphs by degree and as given, and a uniform graph, each way (docs/fused.md). On other
// GPUs only their ratios matter.
struct FusedLevelCosts {
  double small = 2;  // of one block
  double down = 6.2;
  // Top-down: per edge of the frontier and per find or, if this is less, `many` and the second two.
  double edge = 24e-6;
  double find = 62e-6;
  double many = 10;
  double edge_of_many = 8.5e-6;
  double find_of_many = 14e-6;
  double cut = 37;              // where rows are cut,
  double edge_of_cut = 2.5e-6;  // and per edge
  double back = 3;              // the queue of a frontier that bottom-up has found,
  double queued = 70e-6;        // and per vertex of it
  double up = 4.7;
  double open = 4e-6;       // per unvisited vertex
  double labeled = 1.2e-6;  // per vertex of a frontier that bottom-up has found
  double misses = 3.8;      // some vertices look beyond their first entry
  double look = 4.9e-6;     // of these vertices, per entry
  double long_rows = 6.2;   // some rows are put aside for the whole grid
  double map = 5;           // the answer is put into the ids as given,
  double mapped = 3e-6;     // and per vertex of it

  // Per unvisited vertex, if the bits of their first neighbours are all over a graph whose bits the
  // first-level cache does not hold.
  static constexpr double kOpenFar = 20e-6;
  static constexpr double kNearVertices = 1U << 20;
  static constexpr double kHubs = 64;

  // Returns the costs for a graph with this number of vertices. `hub_degree`: the mean degree of
  // the vertices that edges lead to, which shows whether first neighbours are hubs; 0 if rows do
  // not begin with hubs.
  static FusedLevelCosts of(double vertices, double hub_degree) {
    FusedLevelCosts costs;
    const bool is_near = vertices <= kNearVertices || hub_degree >= kHubs;
    if (!is_near) costs.open = kOpenFar;
    return costs;
  }
};

// Returns the expected microseconds of a search, without its reset and its end.
double expected_us(const FusedRules& rules, const FusedProfile& search,
                   const FusedLevelCosts& costs = {});

// Returns the rules with those alpha and beta, of some that are tried, by which the searches are
// expected to take the least time together; where several do nearly, those in the middle. Only
// rules that are `careful` get another alpha, and only those of beta = 0 another beta. Those of
// `rules`, and kUsualBeta, stay unless others are expected to take a tenth less: few searches, and
// a model that is off by about as much, would else change what is right for most sources.
inline constexpr double kUsualBeta = 1024;
FusedRules best_turns(FusedRules rules, std::span<const FusedProfile> searches,
                      const FusedLevelCosts& costs = {});

// Returns whether ids by degree, in which these searches were made, are expected to save them more
// than the answer's way back into the ids as given takes. Top-down they save nothing. `maps`:
// whether that way is in the time.
bool ordering_pays(const FusedRules& rules, std::span<const FusedProfile> searches, bool maps,
                   const FusedLevelCosts& costs = {});

}  // namespace bfslab::cuda

// SPDX-License-Identifier: Apache-2.0
// The kernels of grid2d-cuda on made-up blocks and bitmaps, against what a host says they should
// do. The engine itself is tested with the other engines.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "kernels/bitmap.hpp"
#include "kernels/cuda/device/launch.hpp"
#include "kernels/distributed/engines/grid2d/device_block.hpp"
#include "kernels/distributed/engines/grid2d/gpu_kernels.hpp"
#include "kernels/distributed/engines/grid2d/rows.hpp"
#include "tests/cuda/device_arrays.hpp"
#include "tests/kernels/program.hpp"

namespace bfslab::distributed::grid2d {
namespace {

using cuda::DeviceBuffer;
using tests::fetched;
using tests::sent;
using Bits = std::vector<Word>;

constexpr local_t kUntouched = 0xdeadbeef;

class Grid2dKernels : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = tests::cannot_run_here(); !why.empty()) GTEST_SKIP() << why;
    stream_ = std::make_unique<cuda::Stream>();
  }
  std::unique_ptr<cuda::Stream> stream_;
};

const half_t* halves(const DeviceBuffer<Word>& bits) {
  return reinterpret_cast<const half_t*>(bits.data());
}
half_t* halves_to_write(const DeviceBuffer<Word>& bits) {
  return reinterpret_cast<half_t*>(bits.data());
}

template <typename T>
DeviceBuffer<T> sent_span(std::span<const T> host) {
  return sent(std::vector<T>(host.begin(), host.end()));
}

struct MadeUpBlock {
  std::string name;
  std::uint64_t tails = 64;  // multiples of 64
  std::uint64_t heads = 64;
  std::vector<LocalEdge> edges;
};

// The host takes its time with these.
bool is_large(const MadeUpBlock& made) { return made.tails + made.heads > 8'000'000; }

std::uint64_t whole_words(std::uint64_t vertices) { return (vertices + 63) / 64 * 64; }

// Returns `of` bits, each of which is set with probability `in_sixteen` / 16.
Bits random_bits(std::uint64_t of, unsigned in_sixteen, std::mt19937_64& random) {
  Bits bits(word_count(of), 0);
  for (std::uint64_t v = 0; v < of; ++v) {
    if (random() % 16 < in_sixteen) bits[v / 64] |= bit_of(static_cast<vertex_t>(v));
  }
  return bits;
}

// All forms; the first is that of Algorithm 4, the last the tuned one.
constexpr Forms kForms[] = {{Sharing::warp_per_row, VisitedRead::read_only},
                            {Sharing::warp_per_row, VisitedRead::plain},
                            {Sharing::warp_per_row, VisitedRead::read_only_then_out},
                            {Sharing::equal_shares, VisitedRead::read_only},
                            {Sharing::equal_shares, VisitedRead::plain},
                            {Sharing::equal_shares, VisitedRead::read_only_then_out}};

// The expected finds of both explorations, and the counts of their forms.
struct Expected {
  Bits out;
  std::uint64_t found = 0;
  std::uint64_t top_down = 0;        // entries
  std::uint64_t lanes_by_row = 0;    // turns of lanes, a warp per row
  std::uint64_t lanes_by_share = 0;  // turns of lanes, equal shares
  std::uint64_t claims = 0;          // entries that lead to a vertex that is not in Vis
  std::uint64_t least_bottom_up = 0;
  std::uint64_t most_bottom_up = 0;
  std::uint64_t bottom_up_by_row = 0;  // entries, 32 at a time
};

std::uint64_t turns(std::uint64_t entries, std::uint64_t threads) {
  return (entries + threads - 1) / threads * threads;
}

template <typename Offset>
void expect_top_down(const Rows<Offset>& csr, const Bits& in, const Bits& visited,
                     Expected& expected) {
  for (local_t first = 0; first < csr.count(); first += kHalfBits) {
    std::uint64_t shared = 0;  // entries of the half's short rows
    for (local_t u = first; u < first + kHalfBits; ++u) {
      if (!test(in.data(), u)) continue;
      const std::uint64_t length = csr.length(u);
      expected.top_down += length;
      expected.lanes_by_row += turns(length, 32);
      if (length <= kPiece) shared += length;
      for (std::uint64_t left = length > kPiece ? length : 0; left > 0;) {
        const std::uint64_t piece = std::min<std::uint64_t>(left, kPiece);
        expected.lanes_by_share += turns(piece, cuda::kBlockThreads);
        left -= piece;
      }
      for (const local_t v : csr[u]) {
        if (test(visited.data(), v)) continue;
        ++expected.claims;
        if (!test(expected.out.data(), v)) ++expected.found;
        expected.out[v / 64] |= bit_of(v);
      }
    }
    expected.lanes_by_share += turns(shared, 32);
  }
}

template <typename Offset>
Expected expect(const Rows<Offset>& csr, const Rows<Offset>& csc, const Bits& in,
                const Bits& visited) {
  Expected expected{.out = Bits(visited.size(), 0)};
  expect_top_down(csr, in, visited, expected);
  for (local_t v = 0; v < csc.count(); ++v) {
    const std::uint64_t length = csc.length(v);
    if (test(visited.data(), v) || length == 0) continue;
    const bool finds = test(expected.out.data(), v);
    expected.least_bottom_up += finds ? 1 : length;
    expected.most_bottom_up += length;
    std::uint64_t first = 0;
    while (finds && !test(in.data(), csc[v][first])) ++first;
    expected.bottom_up_by_row += finds ? std::min(length, (first / 32 + 1) * 32) : length;
  }
  return expected;
}

void expect_counts(const LevelCounts& counted, const Expected& expected, const Forms& form,
                   bool bottom_up) {
  const bool by_row = form.sharing == Sharing::warp_per_row;
  if (bottom_up) {
    EXPECT_GE(counted.checked, expected.least_bottom_up);
    EXPECT_LE(counted.checked, expected.most_bottom_up);
    if (by_row) {
      EXPECT_EQ(counted.checked, expected.bottom_up_by_row);
    }
    EXPECT_EQ(counted.lanes, 0U);
    EXPECT_EQ(counted.claims, 0U);
    return;
  }
  EXPECT_EQ(counted.checked, expected.top_down);
  EXPECT_EQ(counted.lanes, by_row ? expected.lanes_by_row : expected.lanes_by_share);
  if (form.visited_read == VisitedRead::read_only_then_out) {
    EXPECT_GE(counted.claims, expected.found);
    EXPECT_LE(counted.claims, expected.claims);
  } else {
    EXPECT_EQ(counted.claims, expected.claims);
  }
}

// A block and its bitmaps in the memory of the GPU.
template <typename Offset>
struct Sent {
  DeviceBuffer<Offset> csr_offsets, csc_offsets;
  DeviceBuffer<local_t> csr_entries, csc_entries, first;
  DeviceBuffer<Word> without, in, visited;
  std::uint64_t most_pieces[2] = {0, 0};  // top-down, bottom-up

  Sent(const MadeUpBlock& made, const Rows<Offset>& csr, const Rows<Offset>& csc, const Bits& in_,
       const Bits& visited_)
      : csr_offsets(sent_span(csr.offsets.span())),
        csc_offsets(sent_span(csc.offsets.span())),
        csr_entries(sent_span(csr.entries.span())),
        csc_entries(sent_span(csc.entries.span())),
        in(sent(in_)),
        visited(sent(visited_)) {
    std::vector<local_t> firsts(made.heads, 0);
    Bits empty(word_count(made.heads), 0);
    for (local_t u = 0; u < made.tails; ++u) most_pieces[0] += pieces_of(csr.length(u));
    for (local_t v = 0; v < made.heads; ++v) {
      most_pieces[1] += pieces_of(csc.length(v));
      if (csc.length(v) == 0) {
        empty[v / 64] |= bit_of(v);
      } else {
        firsts[v] = csc[v].front();
      }
    }
    first = sent(firsts);
    without = sent(empty);
  }
};

struct Trial {
  Forms form;
  bool bottom_up, parents, counts;
};

template <typename Offset>
void expect_explored(const MadeUpBlock& made, const Rows<Offset>& csc, const Bits& in,
                     const Sent<Offset>& there, const Expected& expected, const Trial& trial,
                     const cuda::Stream& stream) {
  SCOPED_TRACE(fmt::format("{}: {}{}{}, {}-byte offsets, sharing {}, read {}", made.name,
                           trial.bottom_up ? "bottom-up" : "top-down",
                           trial.parents ? ", parents" : "", trial.counts ? ", counts" : "",
                           sizeof(Offset), static_cast<int>(trial.form.sharing),
                           static_cast<int>(trial.form.visited_read)));
  // Bottom-up writes every word; top-down adds to what is there.
  const auto out = sent(Bits(expected.out.size(), trial.bottom_up ? ~Word{0} : Word{0}));
  const auto found_by = sent(std::vector<local_t>(trial.parents ? made.heads : 0, kUntouched));
  const bool has_pieces = trial.form.sharing == Sharing::equal_shares;
  const std::uint64_t room = has_pieces ? there.most_pieces[trial.bottom_up ? 1 : 0] : 0;
  // Two more entries than the maximum, which must not be written.
  const auto pieces = sent(std::vector<RowPiece>(room + 2, {kUntouched, kUntouched}));
  const auto level = sent(std::vector<LevelCounts>(1));
  const Exploration what{.in = halves(there.in),
                         .visited = halves(there.visited),
                         .out = halves_to_write(out),
                         .found_by = found_by.data(),
                         .pieces = room > 0 ? pieces.data() : nullptr,
                         .max_pieces = room,
                         .forms = trial.form,
                         .counts = level.data(),
                         .counts_checked = trial.counts};
  if (trial.bottom_up) {
    explore_bottom_up<Offset>({there.csc_offsets.data(), there.csc_entries.data()}, made.heads,
                              there.first.data(), halves(there.without), what, stream);
  } else {
    explore_top_down<Offset>({there.csr_offsets.data(), there.csr_entries.data()}, made.tails, what,
                             stream);
  }
  stream.wait();
  const Bits found = fetched(out);
  for (std::size_t w = 0; w < found.size(); ++w) {
    ASSERT_EQ(found[w], expected.out[w]) << "word " << w << " of Out";
  }
  const LevelCounts counted = fetched(level)[0];
  ASSERT_LE(counted.pieces, room);
  const std::vector<RowPiece> listed = fetched(pieces);
  for (std::uint64_t i = counted.pieces; i < listed.size(); ++i) {
    ASSERT_EQ(listed[i].row, kUntouched) << "piece " << i << " of " << counted.pieces;
  }
  EXPECT_EQ(counted.vertices, 0U);
  EXPECT_EQ(counted.edges, 0U);
  if (trial.counts) {
    expect_counts(counted, expected, trial.form, trial.bottom_up);
  } else {
    EXPECT_EQ(counted.checked + counted.lanes + counted.claims, 0U);
  }
  if (!trial.parents) return;
  const std::vector<local_t> tails = fetched(found_by);
  for (local_t v = 0; v < made.heads; ++v) {
    const bool right = test(found.data(), v) ? tails[v] < made.tails && test(in.data(), tails[v]) &&
                                                   std::ranges::binary_search(csc[v], tails[v])
                                             : tails[v] == kUntouched;
    if (!right) FAIL() << "vertex " << v << " has the parent " << tails[v];
  }
}

// Every form with parents and counts; without one of the two, a form in turn.
template <typename Offset>
void expect_explored(const MadeUpBlock& made, const Rows<Offset>& csr, const Rows<Offset>& csc,
                     const Bits& in, const Bits& visited, const cuda::Stream& stream) {
  static std::size_t turn = 0;
  const Expected expected = expect(csr, csc, in, visited);
  const Sent<Offset> there(made, csr, csc, in, visited);
  for (const bool bottom_up : {false, true}) {
    for (const Forms& form : kForms) {
      // Bottom-up does not read Vis in different ways, and the host takes its time with large ones.
      const bool is_end = &form == std::begin(kForms) || &form == std::end(kForms) - 1;
      if ((bottom_up || is_large(made)) && !is_end) continue;
      expect_explored(made, csc, in, there, expected, {form, bottom_up, true, true}, stream);
    }
    for (const auto& [parents, counts] : {std::pair{true, false}, {false, true}, {false, false}}) {
      if (is_large(made)) continue;
      const Forms& form = kForms[turn++ % std::size(kForms)];
      expect_explored(made, csc, in, there, expected, {form, bottom_up, parents, counts}, stream);
    }
    if (testing::Test::HasFailure()) return;
  }
}

template <typename Offset>
void expect_explored(const MadeUpBlock& made, const cuda::Stream& stream) {
  const auto csr = compress<Offset>(made.edges, made.tails, false, true);
  const auto csc = transpose(csr, made.heads);
  std::mt19937_64 random(made.edges.size());
  constexpr unsigned kNone = 0;
  constexpr unsigned kAll = 16;
  const Bits nothing(word_count(made.heads), 0);
  Bits one(word_count(made.tails), 0);
  one[0] = 1;
  const bool large = is_large(made);
  if (!large) expect_explored(made, csr, csc, one, nothing, stream);
  if (testing::Test::HasFailure()) return;
  for (const unsigned of_in : large ? std::vector{3U} : std::vector{kNone, 1U, 8U, kAll}) {
    for (const unsigned of_visited : large ? std::vector{9U} : std::vector{kNone, 8U, 15U, kAll}) {
      SCOPED_TRACE(fmt::format("{} of 16 in In, {} in Vis", of_in, of_visited));
      expect_explored(made, csr, csc, random_bits(made.tails, of_in, random),
                      random_bits(made.heads, of_visited, random), stream);
      if (testing::Test::HasFailure()) return;
    }
  }
}

MadeUpBlock random_block(std::uint64_t tails, std::uint64_t heads, std::uint64_t edges) {
  MadeUpBlock made{fmt::format("{} edges at random, {} x {}", edges, tails, heads),
                   whole_words(tails),
                   whole_words(heads),
                   {}};
  std::mt19937_64 random(edges + tails);
  for (std::uint64_t i = 0; i < edges; ++i) {
    made.edges.push_back(
        {static_cast<local_t>(random() % tails), static_cast<local_t>(random() % heads)});
  }
  return made;
}

// Rows of these lengths, by tail or by head; the others' ends are spread out.
MadeUpBlock block_of_lengths(const char* name, const std::vector<std::uint64_t>& lengths,
                             bool by_head) {
  const std::uint64_t longest = std::ranges::max(lengths);
  const std::uint64_t rows = whole_words(2 * lengths.size());
  const std::uint64_t others = whole_words(longest + 100);
  MadeUpBlock made{fmt::format("{} by {}", name, by_head ? "head" : "tail"),
                   by_head ? others : rows,
                   by_head ? rows : others,
                   {}};
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const auto row = static_cast<local_t>(2 * i + i % 2);
    for (std::uint64_t k = 0; k < lengths[i]; ++k) {
      const auto other = static_cast<local_t>((k + 37 * i) % others);
      made.edges.push_back(by_head ? LocalEdge{other, row} : LocalEdge{row, other});
    }
  }
  return made;
}

TEST_F(Grid2dKernels, ExploreBlocksOfEveryShape) {
  std::vector<MadeUpBlock> blocks{
      {"nothing", 64, 64, {}},
      {"one vertex", 64, 64, {{0, 0}}},
      {"the last vertices", 128, 192, {{127, 191}, {0, 191}, {127, 0}}},
      random_block(64, 64, 300),
      random_block(2'500, 700, 20'000),
      random_block(700, 2'500, 3'000),
      random_block(100'000, 100'000, 400'000),
      // Wide enough that a warp takes several halves at a time, up to one per lane.
      random_block(5'000'000, 5'000'000, 1'000'000),
      random_block(40'000'000, 64, 200'000),
      random_block(64, 40'000'000, 200'000),
  };
  const std::uint64_t p = kPiece;
  const std::vector<std::uint64_t> around{
      0,     1,     7, 8,     9,     31,    32,        33,    40,        41,       64,
      1'000, p - 1, p, p + 1, p + 8, p + 9, p + 8 + 1, 2 * p, 2 * p + 1, 2 * p + 9};
  for (const bool by_head : {false, true}) {
    blocks.push_back(
        block_of_lengths("lengths around the ends of what a lane, a warp and a block "
                         "take",
                         around, by_head));
    blocks.push_back(block_of_lengths("two hubs", {150'000, 3, 110'001, 5}, by_head));
    blocks.push_back(block_of_lengths("a warp of long rows",
                                      std::vector<std::uint64_t>(40, kPiece + 100), by_head));
    blocks.push_back(
        block_of_lengths("a warp of full rows", std::vector<std::uint64_t>(40, kPiece), by_head));
  }
  for (const MadeUpBlock& made : blocks) {
    expect_explored<std::uint32_t>(made, *stream_);
    if (made.tails + made.heads < 1'000'000) expect_explored<std::uint64_t>(made, *stream_);
    if (HasFailure()) return;
  }
}

// A hub that is looked for bottom-up, whose only neighbour in In is somewhere in its row.
TEST_F(Grid2dKernels, FindsTheOneParentOfAHub) {
  // Its last entry is the last of the last piece: a lane looks at the first eight.
  const std::uint64_t length = 64 * std::uint64_t{kPiece} + 8;
  const MadeUpBlock made = block_of_lengths("a hub", {length}, true);
  const auto csr = compress<std::uint32_t>(made.edges, made.tails, false, true);
  const auto csc = transpose(csr, made.heads);
  const Bits visited(word_count(made.heads), 0);
  const std::span<const local_t> row = csc[0];
  for (const std::size_t place :
       {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{8}, std::size_t{kPiece},
        std::size_t{kPiece + 7}, std::size_t{kPiece + 8}, row.size() / 2, row.size() - 1}) {
    SCOPED_TRACE(fmt::format("entry {} of {}", place, row.size()));
    Bits in(word_count(made.tails), 0);
    in[row[place] / 64] |= bit_of(row[place]);
    expect_explored(made, csr, csc, in, visited, *stream_);
    if (HasFailure()) return;
  }
}

// 32 rows with the same 64 entries, of which a warp reads 32 at a time: it sees its own finds.
TEST_F(Grid2dKernels, ClaimAFindOnceIfTheyLookAtFinds) {
  MadeUpBlock made{"equal rows", 64, 64, {}};
  for (local_t u = 0; u < 32; ++u) {
    for (local_t v = 0; v < 64; ++v) made.edges.push_back({u, v});
  }
  const auto csr = compress<std::uint32_t>(made.edges, made.tails, false, true);
  const auto csc = transpose(csr, made.heads);
  const Bits in{0xffffffff};
  const Bits visited{0xff};
  const Sent<std::uint32_t> there(made, csr, csc, in, visited);
  for (const Forms& forms : kForms) {
    const auto out = sent(Bits(1, 0));
    const auto found_by = sent(std::vector<local_t>(made.heads, kUntouched));
    const auto level = sent(std::vector<LevelCounts>(1));
    explore_top_down<std::uint32_t>({there.csr_offsets.data(), there.csr_entries.data()},
                                    made.tails,
                                    {.in = halves(there.in),
                                     .visited = halves(there.visited),
                                     .out = halves_to_write(out),
                                     .found_by = found_by.data(),
                                     .forms = forms,
                                     .counts = level.data(),
                                     .counts_checked = true},
                                    *stream_);
    stream_->wait();
    EXPECT_EQ(fetched(out)[0], ~Word{0xff});
    const LevelCounts counted = fetched(level)[0];
    EXPECT_EQ(counted.lanes, 32U * 64U);
    const bool once = forms.visited_read == VisitedRead::read_only_then_out;
    EXPECT_EQ(counted.claims, once ? 56U : 32U * 56U);
  }
}

// --- Blocks.

template <typename Offset>
void expect_rows(const DeviceRows<Offset>& there, const Rows<Offset>& here) {
  EXPECT_EQ(fetched(there.offsets), std::vector(here.offsets.begin(), here.offsets.end()));
  EXPECT_EQ(fetched(there.entries), std::vector(here.entries.begin(), here.entries.end()));
}

BlockKeys keys_of(const std::vector<LocalEdge>& edges, const Grid& grid,
                  const cuda::Stream& stream) {
  std::vector<std::uint64_t> keys;
  for (const auto [from, to] : edges) {
    keys.push_back(std::uint64_t{from} << bits_for(grid.row_size()) | to);
  }
  BlockKeys made{cuda::KeyBuffers(keys.size()), keys.size()};
  cuda::upload(made.buffers.keys.data(), keys.data(), keys.size() * sizeof(keys[0]), stream);
  return made;
}

// As the host makes it of the same edges, or uploads it.
template <typename Offset>
void expect_block(const std::vector<LocalEdge>& edges, const BlockPlan& plan,
                  const cuda::Stream& stream) {
  const Block<Offset> here(edges, plan);
  const auto made = make_device_block<Offset>(keys_of(edges, plan.grid, stream), plan, stream);
  const auto copied = upload_block(here, stream);
  for (const DeviceBlock<Offset>* there : {&made, &copied}) {
    SCOPED_TRACE(there == &made ? "made there" : "uploaded");
    ASSERT_EQ(there->shared, here.shared());
    EXPECT_EQ(there->entries, here.entries());
    expect_rows(there->csr, here.csr());
    if (!here.shared()) expect_rows(there->csc, here.csc());
    EXPECT_EQ(there->bytes(), here.csr_bytes() + here.csc_bytes());
    EXPECT_EQ(fetched(there->first), std::vector(here.first().begin(), here.first().end()));
    EXPECT_EQ(there->leaving, here.leaving());
    EXPECT_EQ(there->entering, here.entering());
    std::uint64_t leaving = 0;
    std::uint64_t entering = 0;
    for (const local_t length : there->leaving) leaving += pieces_of(length);
    for (const local_t length : there->entering) entering += pieces_of(length);
    EXPECT_EQ(there->max_pieces, std::max(leaving, entering));
  }
}

TEST_F(Grid2dKernels, MakeTheBlockThatTheHostMakes) {
  std::mt19937_64 random(5);
  for (const auto& [rows, columns] : {std::pair{1U, 1U}, {2U, 2U}, {3U, 1U}, {1U, 2U}}) {
    for (const std::uint64_t n : {1U, 300U, 5'000U}) {
      const Grid grid(n, rows, columns);
      for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{1}, 4 * n}) {
        for (const bool deduplicate : {true, false}) {
          for (const unsigned column : {0U, columns - 1}) {
            // Symmetric, and some edges more than once; one row is long.
            std::vector<LocalEdge> edges;
            for (std::uint64_t i = 0; i < count; ++i) {
              const std::uint64_t least = std::min(grid.row_size(), grid.column_size());
              const auto a = static_cast<local_t>(i % 3 == 0 ? 7 % least : random() % least);
              const auto b = static_cast<local_t>(random() % least);
              edges.push_back({a, b});
              edges.push_back({b, a});
              if (i % 5 == 0) edges.push_back({a, a});
            }
            for (const bool symmetric : {true, false}) {
              const EdgeRules rules{.symmetrize = symmetric,
                                    .drop_self_loops = false,
                                    .deduplicate = deduplicate,
                                    .symmetric = symmetric};
              for (const auto& [csr, csc] : {std::pair{true, true}, {true, false}, {false, true}}) {
                SCOPED_TRACE(fmt::format(
                    "{} x {}, {} vertices, {} edges, deduplicate {}, column {}, symmetric {}, csr "
                    "{}, csc {}",
                    rows, columns, n, edges.size(), deduplicate, column, symmetric, csr, csc));
                BlockPlan plan{grid, 0, column, rules, csr, csc, false};
                expect_block<std::uint32_t>(edges, plan, *stream_);
                plan.wide = true;
                expect_block<std::uint64_t>(edges, plan, *stream_);
                if (HasFailure()) return;
              }
            }
          }
        }
      }
    }
  }
}

// --- Bitmaps.

std::vector<std::uint64_t> word_counts() { return {1, 2, 3, 31, 33, 1'000, 100'000}; }

TEST_F(Grid2dKernels, AssignWhatNobodyBeforeHas) {
  std::mt19937_64 random(1);
  for (const std::uint64_t words : word_counts()) {
    const Bits out = random_bits(64 * words, 5, random);
    const Bits prefix = random_bits(64 * words, 5, random);
    const Bits assigned = random_bits(64 * words, 1, random);
    for (const bool gathers : {true, false}) {
      const auto out_there = sent(out);
      const auto prefix_there = sent(prefix);
      const auto assigned_there = sent(assigned);
      assign(out_there.data(), prefix_there.data(), gathers ? assigned_there.data() : nullptr,
             words, *stream_);
      stream_->wait();
      const Bits joined = fetched(out_there);
      const Bits mine = fetched(prefix_there);
      const Bits all = fetched(assigned_there);
      for (std::uint64_t w = 0; w < words; ++w) {
        ASSERT_EQ(joined[w], out[w] | prefix[w]);
        ASSERT_EQ(mine[w], out[w] & ~prefix[w]);
        ASSERT_EQ(all[w], gathers ? assigned[w] | mine[w] : assigned[w]);
      }
    }
  }
}

// The owned piece is the middle one of three.
TEST_F(Grid2dKernels, UpdateVisitsCountsAndLabels) {
  std::mt19937_64 random(2);
  for (const std::uint64_t words : word_counts()) {
    for (const unsigned density : {0U, 3U, 16U}) {
      const Bits out = random_bits(64 * 3 * words, density, random);
      const Bits visited = random_bits(64 * 3 * words, 4, random);
      std::vector<Word> degrees(64 * words);
      for (Word& degree : degrees) degree = random() % 1'000'000'007;
      Word vertices = 0;
      Word edges = 0;
      for (std::uint64_t v = 0; v < 64 * words; ++v) {
        if (((out[words + v / 64] >> (v % 64)) & 1) == 0) continue;
        ++vertices;
        edges += degrees[v];
      }
      const auto out_there = sent(out);
      const auto degrees_there = sent(degrees);
      for (const bool full : {true, false}) {
        SCOPED_TRACE(fmt::format("{} words, {} of 16, full {}", words, density, full));
        const auto visited_there = sent(visited);
        const auto levels = sent(std::vector<level_t>(64 * words, kUnreached));
        const auto counts = sent(std::vector<LevelCounts>(1));
        update({.visited = visited_there.data(),
                .out = out_there.data(),
                .words = 3 * words,
                .own = halves(out_there) + 2 * words,
                .own_halves = 2 * words,
                .level = 7,
                .levels = full ? levels.data() : nullptr,
                .degrees = full ? degrees_there.data() : nullptr,
                .counts = counts.data()},
               *stream_);
        stream_->wait();
        const Bits now = fetched(visited_there);
        for (std::uint64_t w = 0; w < now.size(); ++w) ASSERT_EQ(now[w], visited[w] | out[w]);
        const std::vector<level_t> labels = fetched(levels);
        for (std::uint64_t v = 0; v < labels.size(); ++v) {
          const bool found = full && ((out[words + v / 64] >> (v % 64)) & 1) != 0;
          ASSERT_EQ(labels[v], found ? 7 : kUnreached) << v;
        }
        const LevelCounts counted = fetched(counts)[0];
        EXPECT_EQ(counted.vertices, vertices);
        EXPECT_EQ(counted.edges, full ? edges : 0);
        EXPECT_EQ(counted.checked, 0U);
        EXPECT_EQ(counted.pieces, 0U);
        sum_degrees(halves(out_there) + 2 * words, 2 * words, degrees_there.data(), counts.data(),
                    *stream_);
        stream_->wait();
        EXPECT_EQ(fetched(counts)[0].edges, full ? 2 * edges : edges);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_F(Grid2dKernels, EraseWhatWasNotReached) {
  std::mt19937_64 random(3);
  for (const std::uint64_t words : word_counts()) {
    const Bits enterable = random_bits(64 * words, 9, random);
    const Bits visited = random_bits(64 * words, 9, random);
    const auto enterable_there = sent(enterable);
    const auto visited_there = sent(visited);
    const auto levels = sent(std::vector<level_t>(64 * words, 5));
    const auto parents = sent(std::vector<vertex_t>(64 * words, 6));
    erase(halves(enterable_there), halves(visited_there), 2 * words, {levels.data(), nullptr},
          *stream_);
    erase(halves(enterable_there), halves(visited_there), 2 * words, {nullptr, parents.data()},
          *stream_);
    stream_->wait();
    const std::vector<level_t> labels = fetched(levels);
    const std::vector<vertex_t> tree = fetched(parents);
    for (std::uint64_t v = 0; v < labels.size(); ++v) {
      const bool erased = ((enterable[v / 64] & ~visited[v / 64]) >> (v % 64) & 1) != 0;
      ASSERT_EQ(labels[v], erased ? kUnreached : 5);
      ASSERT_EQ(tree[v], erased ? kNoVertex : 6);
    }
  }
}

TEST_F(Grid2dKernels, PlantASourceAndTakeTheLastOneBack) {
  const auto visited = sent(Bits(3, 0));
  const auto in = sent(Bits(3, 0));
  const auto levels = sent(std::vector<level_t>(64, 9));
  const auto parents = sent(std::vector<vertex_t>(64, 9));
  const OwnedAnswer answer{levels.data(), parents.data()};
  plant({}, halves_to_write(visited), halves_to_write(in), answer, *stream_);
  stream_->wait();
  EXPECT_EQ(fetched(visited), Bits(3, 0));
  EXPECT_EQ(fetched(in), Bits(3, 0));
  EXPECT_EQ(fetched(levels), std::vector<level_t>(64, 9));
  plant({.in_row = 191, .in_column = 33, .owned = 63, .owned_before = 0, .source = 1'000},
        halves_to_write(visited), halves_to_write(in), answer, *stream_);
  // The same again: it is not erased after it was set.
  plant(
      {.in_row = kNowhere, .in_column = kNowhere, .owned = 63, .owned_before = 63, .source = 1'001},
      halves_to_write(visited), halves_to_write(in), answer, *stream_);
  stream_->wait();
  EXPECT_EQ(fetched(visited), (Bits{0, 0, Word{1} << 63}));
  EXPECT_EQ(fetched(in), (Bits{Word{1} << 33, 0, 0}));
  std::vector<level_t> expected_levels(64, 9);
  expected_levels[0] = kUnreached;
  expected_levels[63] = 0;
  EXPECT_EQ(fetched(levels), expected_levels);
  std::vector<vertex_t> expected_parents(64, 9);
  expected_parents[0] = kNoVertex;
  expected_parents[63] = 1'001;
  EXPECT_EQ(fetched(parents), expected_parents);
}

// The lists that the members of a row exchange, as Grid numbers them.
TEST_F(Grid2dKernels, ListPredecessorsForEachMemberOfTheRow) {
  std::mt19937_64 random(4);
  for (const auto& [rows, columns] :
       {std::pair{1U, 2U}, {2U, 2U}, {2U, 3U}, {3U, 2U}, {4U, 4U}, {2U, 300U}}) {
    for (const std::uint64_t block : {64U, 192U, 6'400U}) {
      for (const unsigned density : {0U, 2U, 16U}) {
        const Grid grid(block * rows * columns, rows, columns);
        ASSERT_EQ(grid.block, block);
        SCOPED_TRACE(fmt::format("{} x {}, blocks of {}, {} of 16", rows, columns, block, density));
        const unsigned column = columns - 1;
        const Bits which = random_bits(grid.row_size(), density, random);
        std::vector<local_t> found_by(grid.row_size());
        for (local_t& tail : found_by) tail = static_cast<local_t>(random() % grid.column_size());
        const auto which_there = sent(which);
        const auto found_by_there = sent(found_by);
        const auto lengths = sent(std::vector<unsigned long long>(columns, 0));
        const ColumnIds ids{grid.block, column, columns, grid.square()};
        count_predecessors(which_there.data(), ids, lengths.data(), *stream_);
        stream_->wait();
        const std::vector<unsigned long long> counted = fetched(lengths);
        std::vector<unsigned long long> cursors(columns, 0);
        for (unsigned k = 1; k < columns; ++k) cursors[k] = cursors[k - 1] + counted[k - 1];
        const auto cursors_there = sent(cursors);
        const std::uint64_t all = cursors.back() + counted.back();
        const auto lists = sent(std::vector<Predecessor>(all + 1, {kUntouched, kUntouched}));
        list_predecessors(which_there.data(), found_by_there.data(), ids, cursors_there.data(),
                          lists.data(), *stream_);
        stream_->wait();
        const std::vector<Predecessor> listed = fetched(lists);
        EXPECT_EQ(listed.back().vertex, kUntouched);
        for (unsigned k = 0; k < columns; ++k) {
          std::vector<std::pair<local_t, vertex_t>> expected, found;
          for (local_t v = 0; v < block; ++v) {
            const auto in_row = static_cast<local_t>(k * block + v);
            if (!test(which.data(), in_row)) continue;
            expected.emplace_back(
                v, static_cast<vertex_t>(grid.column_vertex(column, found_by[in_row])));
          }
          ASSERT_EQ(counted[k], expected.size());
          for (std::uint64_t i = 0; i < counted[k]; ++i) {
            const Predecessor& each = listed[cursors[k] + i];
            found.emplace_back(each.vertex, each.parent);
          }
          std::ranges::sort(found);
          ASSERT_EQ(found, expected) << "for member " << k;
        }
        // The use that one of them makes of its list.
        const auto parents = sent(std::vector<vertex_t>(block, kNoVertex));
        take_predecessors(lists.data(), counted[0], parents.data(), *stream_);
        stream_->wait();
        const std::vector<vertex_t> tree = fetched(parents);
        for (local_t v = 0; v < block; ++v) {
          const bool told = test(which.data(), v);
          ASSERT_EQ(tree[v], told ? static_cast<vertex_t>(grid.column_vertex(column, found_by[v]))
                                  : kNoVertex);
        }
      }
    }
  }
}

}  // namespace
}  // namespace bfslab::distributed::grid2d

// SPDX-License-Identifier: Apache-2.0
// The local work of grid2d on a GPU (its block, bitmaps and answer in GPU memory, and the kernels
// of gpu_kernels.hpp that a level enqueues), and the engine of members that each have a GPU, a
// transport and a search.
#include <optional>
#include <utility>

#include "kernels/cuda/device/memory.hpp"
#include "kernels/cuda/device/stream.hpp"
#include "kernels/cuda/device/upload.hpp"
#include "kernels/distributed/check/gpu_check.hpp"
#include "kernels/distributed/engines/grid2d/device_block.hpp"
#include "kernels/distributed/engines/grid2d/gpu_kernels.hpp"
#include "kernels/distributed/engines/grid2d/search.hpp"

namespace bfslab::distributed::grid2d {
namespace {

using cuda::DeviceBuffer;
using cuda::PinnedBuffer;

half_t* halves_of(const DeviceBuffer<Word>& bits) { return reinterpret_cast<half_t*>(bits.data()); }

Forms forms_of(const Toggles& toggles) {
  const std::string& read = toggles.choice("visited_read");
  const bool by_row = toggles.choice("exploration") == "warp_per_row";
  return {.sharing = by_row ? Sharing::warp_per_row : Sharing::equal_shares,
          .visited_read = read == "read_only" ? VisitedRead::read_only
                          : read == "plain"   ? VisitedRead::plain
                                              : VisitedRead::read_only_then_out};
}

template <typename Offset>
class GpuWork final : public LocalWork {
 public:
  GpuWork(DeviceBlock<Offset> block, const VertexFacts& facts, const Grid& grid, unsigned member,
          const WorkSettings& settings, const Forms& forms, std::shared_ptr<const MemberGpu> gpu)
      : gpu_(std::move(gpu)),
        stream_(gpu_->stream()),
        grid_(grid),
        member_(member),
        column_(member % grid.columns),
        answer_(settings.answer),
        each_level_(settings.each_level),
        forms_(forms),
        ids_{grid.block, column_, grid.columns, grid.square()},
        block_(std::move(block)),
        degrees_(uploaded(std::span(facts.degrees), stream_)),
        without_row_(uploaded(facts.without_row.span(), stream_)),
        enterable_(uploaded(facts.enterable.span(), stream_)),
        in_(grid.column_size() / kWordBits),
        out_(grid.row_size() / kWordBits),
        visited_(grid.row_size() / kWordBits),
        pieces_(forms.sharing == Sharing::equal_shares ? block_.max_pieces : 0),
        counts_(1),
        host_counts_(1),
        host_word_(1) {
    if (wants_levels(answer_)) levels_ = DeviceBuffer<level_t>(grid_.block);
    if (wants_parents(answer_)) {
      found_by_ = DeviceBuffer<local_t>(grid_.row_size());
      if (!one_column()) make_room_for_predecessors();
    }
    // kUnreached and kNoVertex have all bits set.
    levels_.fill_bytes(0xff, stream_.get());
    (one_column() ? found_by_ : parents_).fill_bytes(0xff, stream_.get());
    out_.fill_bytes(0, stream_.get());
    load_explorations(forms_);
    load_bitmap_kernels();
    begin_.record(stream_);  // so that gpu_ms() is valid before the first search
    end_.record(stream_);
    stream_.wait();
  }

  void reset(const Start& start) override {
    begin_.record(stream_);
    for (DeviceBuffer<Word>* bits : {&in_, &visited_, &assigned_}) {
      bits->fill_bytes(0, stream_.get());
    }
    Planting at{.source = start.source};
    if (start.in_row) at.in_row = *start.in_row;
    if (start.in_column) at.in_column = *start.in_column;
    if (start.owned) at.owned = *start.owned;
    // finish() does not see a source that no edge enters.
    if (last_source_) at.owned_before = *last_source_;
    last_source_ = start.owned;
    plant(at, halves_of(visited_), halves_of(in_), owned_answer(), stream_);
  }

  void explore(bool bottom_up, bool counts_checked) override {
    counts_.fill_bytes(0, stream_.get());
    const Exploration args{.in = halves_of(in_),
                           .visited = halves_of(visited_),
                           .out = halves_of(out_),
                           .found_by = found_by_.data(),
                           .pieces = pieces_.data(),
                           .max_pieces = pieces_.size(),
                           .forms = forms_,
                           .counts = counts_.data(),
                           .counts_checked = counts_checked};
    if (bottom_up) {
      return explore_bottom_up(block_.by_head().view(), grid_.row_size(), block_.first.data(),
                               halves_of(without_row_), args, stream_);
    }
    out_.fill_bytes(0, stream_.get());
    explore_top_down(block_.csr.view(), grid_.column_size(), args, stream_);
  }

  std::span<Word> in() override { return {in_.data(), in_.size()}; }
  std::span<Word> out() override { return {out_.data(), out_.size()}; }

  std::span<Word> begin_scan() override {
    cuda::copy(prefix_.data(), out_.data(), out_.size(), stream_);
    return {prefix_.data(), prefix_.size()};
  }

  void end_scan() override {
    assign(out_.data(), prefix_.data(), assigned_.data(), out_.size(), stream_);
  }

  // The host waits for the lengths of the lists, since it sends them.
  std::vector<Bytes> predecessors() override {
    const Word* const which = (each_level_ ? prefix_ : assigned_).data();
    lengths_.fill_bytes(0, stream_.get());
    count_predecessors(which, ids_, lengths_.data(), stream_);
    cuda::copy(host_lengths_.data(), lengths_.data(), lengths_.size(), stream_);
    stream_.wait();
    std::vector<Bytes> lists;
    std::uint64_t begin = 0;
    for (unsigned k = 0; k < grid_.columns; ++k) {
      const std::uint64_t length = host_lengths_[k];
      host_cursors_[k] = begin;
      lists.push_back(std::as_bytes(std::span(lists_.data() + begin, length)));
      begin += (length + 1) / 2 * 2;  // every list begins at a multiple of 16 bytes
    }
    cuda::copy(cursors_.data(), host_cursors_.data(), cursors_.size(), stream_);
    list_predecessors(which, found_by_.data(), ids_, cursors_.data(), lists_.data(), stream_);
    return lists;
  }

  void take_predecessors(Bytes list) override {
    const std::span<const Predecessor> some = values_of<Predecessor>(list);
    grid2d::take_predecessors(some.data(), some.size(), parents_.data(), stream_);
  }

  void update(level_t level, bool counts_edges) override {
    grid2d::update({.visited = visited_.data(),
                    .out = out_.data(),
                    .words = out_.size(),
                    .own = own(out_),
                    .own_halves = own_halves(),
                    .level = level + 1,
                    .levels = levels_.data(),
                    .degrees = counts_edges ? degrees_.data() : nullptr,
                    .counts = counts_.data()},
                   stream_);
    cuda::copy(host_counts_.data(), counts_.data(), 1, stream_);
    counted_.record(stream_);
  }

  Counts counts() override {
    BFSLAB_CUDA(cudaEventSynchronize(counted_.get()));
    const LevelCounts& counted = host_counts_[0];
    return {.vertices = counted.vertices,
            .edges = counted.edges,
            .checked = counted.checked,
            .lanes = counted.lanes,
            .claims = counted.claims};
  }

  void make_out_in() override { std::swap(in_, out_); }

  Word source_edges(local_t owned) override {
    cuda::copy(host_word_.data(), degrees_.data() + owned, 1, stream_);
    stream_.wait();
    return host_word_[0];
  }
  Word frontier_edges() override { return edges_of(grid_.members() == 1 ? in_ : out_); }
  [[nodiscard]] Word reached_entries() const override { return edges_of(visited_); }

  void finish() override {
    erase(halves_of(enterable_), own(visited_), own_halves(), owned_answer(), stream_);
    end_.record(stream_);
    stream_.wait();
  }

  [[nodiscard]] bool queues() const override { return true; }
  void wait() override { stream_.wait(); }
  [[nodiscard]] std::optional<double> gpu_ms() const override {
    return cuda::ms_between(begin_, end_);
  }

  [[nodiscard]] AnswerPart answer() const override {
    const OwnedAnswer owned = owned_answer();
    return {.ids = grid_.ownership().ids(member_),
            .space = MemorySpace::device,
            .device = gpu_->device(),
            .levels = owned.levels,
            .parents = owned.parents};
  }

  [[nodiscard]] MemoryUse memory() const override {
    return {.graph = block_.bytes() + degrees_.bytes() + without_row_.bytes() + enterable_.bytes(),
            .status = visited_.bytes() + levels_.bytes() + parents_.bytes() + found_by_.bytes(),
            .queues =
                in_.bytes() + out_.bytes() + prefix_.bytes() + assigned_.bytes() + pieces_.bytes(),
            .scratch = lists_.bytes() + lengths_.bytes() + cursors_.bytes() + counts_.bytes()};
  }

 private:
  void make_room_for_predecessors() {
    parents_ = DeviceBuffer<vertex_t>(grid_.block);
    prefix_ = DeviceBuffer<Word>(out_.size());
    if (!each_level_) assigned_ = DeviceBuffer<Word>(out_.size());
    // Room for every vertex of the range, and a gap after each list.
    lists_ = DeviceBuffer<Predecessor>(grid_.row_size() + grid_.columns);
    lengths_ = DeviceBuffer<unsigned long long>(grid_.columns);
    cursors_ = DeviceBuffer<unsigned long long>(grid_.columns);
    host_lengths_ = PinnedBuffer<unsigned long long>(grid_.columns);
    host_cursors_ = PinnedBuffer<unsigned long long>(grid_.columns);
  }

  [[nodiscard]] bool one_column() const { return grid_.columns == 1; }
  // Returns the piece that this member owns, of a bitmap of the row's range.
  [[nodiscard]] half_t* own(const DeviceBuffer<Word>& bits) const {
    return halves_of(bits) + column_ * own_halves();
  }
  [[nodiscard]] std::uint64_t own_halves() const { return grid_.block / kHalfBits; }
  [[nodiscard]] OwnedAnswer owned_answer() const {
    return {levels_.data(), (one_column() ? found_by_ : parents_).data()};
  }
  // Returns the edges of the owned vertices in a bitmap of the row's range. Called only between
  // levels.
  [[nodiscard]] Word edges_of(const DeviceBuffer<Word>& bits) const {
    counts_.fill_bytes(0, stream_.get());
    sum_degrees(own(bits), own_halves(), degrees_.data(), counts_.data(), stream_);
    return cuda::read_back(counts_.data(), stream_).edges;
  }

  std::shared_ptr<const MemberGpu> gpu_;
  const cuda::Stream& stream_;
  Grid grid_;
  unsigned member_, column_;
  Answer answer_;
  bool each_level_;
  Forms forms_;
  ColumnIds ids_;

  DeviceBlock<Offset> block_;
  DeviceBuffer<Word> degrees_, without_row_, enterable_;  // VertexFacts
  DeviceBuffer<Word> in_;                                 // the column's range
  DeviceBuffer<Word> out_, visited_, prefix_, assigned_;  // the row's range
  DeviceBuffer<RowPiece> pieces_;
  DeviceBuffer<local_t> found_by_;  // [row_size] see cpu_work.cpp
  DeviceBuffer<level_t> levels_;    // [block]
  DeviceBuffer<vertex_t> parents_;  // [block]
  DeviceBuffer<Predecessor> lists_;
  DeviceBuffer<unsigned long long> lengths_, cursors_;            // [columns]
  PinnedBuffer<unsigned long long> host_lengths_, host_cursors_;  // [columns]
  DeviceBuffer<LevelCounts> counts_;
  PinnedBuffer<LevelCounts> host_counts_;
  PinnedBuffer<Word> host_word_;
  cuda::Event counted_, begin_, end_;
  std::optional<local_t> last_source_;  // if this member owned it
};

// Makes a member's block in the memory of `gpu`, on the thread that makes all its calls. `data`
// moves data in GPU memory. Throws OutOfDeviceMemory. Collective.
BlockWork make_gpu_block(Member& member, const EdgeShare& share, const BlockPlan& plan,
                         const Forms& forms, std::shared_ptr<const MemberGpu> gpu,
                         Communicator& data) {
  const auto make = [&]<typename Offset>(DeviceBlock<Offset> made) -> BlockWork {
    const auto block = std::make_shared<DeviceBlock<Offset>>(std::move(made));
    return {std::move(block->leaving),
            std::move(block->entering),
            {block->entries, block->csr.bytes(), block->csc.bytes() + block->first.bytes()},
            [block, grid = plan.grid, forms, gpu](
                const VertexFacts& facts, unsigned number,
                const WorkSettings& settings) -> std::unique_ptr<LocalWork> {
              return std::make_unique<GpuWork<Offset>>(std::move(*block), facts, grid, number,
                                                       settings, forms, gpu);
            }};
  };
  const cuda::Stream& stream = gpu->stream();
  if (std::optional<BlockKeys> keys = block_keys(member, share, plan, *gpu, data)) {
    return plan.wide_for(keys->count)
               ? make(make_device_block<std::uint64_t>(std::move(*keys), plan, stream))
               : make(make_device_block<std::uint32_t>(std::move(*keys), plan, stream));
  }
  std::vector<LocalEdge> edges = edges_of_block(member, share, plan.grid);
  return plan.wide_for(edges.size())
             ? make(upload_block(Block<std::uint64_t>(std::move(edges), plan), stream))
             : make(upload_block(Block<std::uint32_t>(std::move(edges), plan), stream));
}

std::unique_ptr<MemberSearch> make_member(Member& member, const EdgeShare& share,
                                          const EngineSettings& settings) {
  const Grid grid = choose_grid(member, share, settings);
  const auto gpu = std::make_shared<const MemberGpu>(member);
  std::unique_ptr<Communicator> bulk;
  if (grid.members() > 1) {
    const Transport transport = transport_named(settings.toggles.choice("transport"));
    bulk = make_device_communicator(transport, *member.all, *gpu);
  }
  Communicator& over = bulk ? *bulk : *member.all;
  const auto block = [&](const BlockPlan& plan) {
    return make_gpu_block(member, share, plan, forms_of(settings.toggles), gpu, over);
  };
  auto search = make_search(member, share, settings, grid, block, std::move(bulk));
  search->check_by(std::make_unique<GpuAnswerChecker>(share, search->ownership(), *gpu, over));
  return search;
}

[[maybe_unused]] const bool supplied =
    make_gpu_engine.supply([](const EngineSettings& settings) -> std::unique_ptr<Engine> {
      return std::make_unique<DistributedEngine>(settings, make_member);
    });

}  // namespace
}  // namespace bfslab::distributed::grid2d

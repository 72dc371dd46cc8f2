// SPDX-License-Identifier: Apache-2.0
#include "kernels/distributed/communicator/processes.hpp"

namespace bfslab::distributed {

namespace {

// One process: it has no other to talk to, and every reduction is of one value.
class Alone final : public Processes {
 public:
  [[nodiscard]] unsigned rank() const override { return 0; }
  [[nodiscard]] unsigned size() const override { return 1; }
  void barrier() override {}
  void all_reduce(std::span<Word> /*values*/, Reduction /*reduction*/) override {}
  void begin_all_reduce(std::span<Word> /*values*/, Reduction /*reduction*/) override {}
  void finish_all_reduce() override {}
  void exclusive_scan(std::span<Word> values, Reduction reduction) override {
    for (Word& value : values) value = identity(reduction);
  }
  void broadcast(std::span<std::byte> /*bytes*/, unsigned /*root*/) override {}
  std::vector<Bytes> all_to_all(std::span<const Bytes> /*messages*/,
                                std::vector<Chunk>& /*received*/) override {
    return {Bytes()};
  }
  void exchange(unsigned /*to*/, Bytes out, unsigned /*from*/, std::span<std::byte> in) override {
    copy_bytes(out, in);
  }
  std::unique_ptr<Processes> group(std::span<const unsigned> /*ranks*/, unsigned /*tag*/) override {
    return alone();
  }
};

}  // namespace

std::unique_ptr<Processes> alone() { return std::make_unique<Alone>(); }

}  // namespace bfslab::distributed

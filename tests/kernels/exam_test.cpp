// SPDX-License-Identifier: Apache-2.0
// The exam's own refusals: accepted where the table names them, and hiding nothing.
#include "tests/kernels/exam.hpp"

#include <gtest/gtest-spi.h>

#include "kernels/unsupported.hpp"
#include "tests/kernels/configurations.hpp"
#include "tests/kernels/zoo.hpp"

namespace bfslab::tests {
namespace {

// On a path 0 - 1 - 2: refuses to load with many queues, and from vertex 1 with a small queue; from
// vertex 2 its answer is wrong on request.
class Refuser final : public Engine {
 public:
  explicit Refuser(const Toggles& toggles)
      : queues_(toggles.integer("queues")),
        small_(toggles.flag("small")),
        wrong_(toggles.flag("wrong")) {}
  void load(const GraphSource&) override {
    if (queues_ > 1) throw Unsupported("more queues than there is room for");
  }
  void traverse(vertex_t source, LevelSink*) override {
    levels_.assign(3, kUnreached);
    if (small_ && source == 1) throw Unsupported("a queue overflows");
    for (vertex_t v = 0; v < 3; ++v) levels_[v] = v > source ? v - source : source - v;
    if (wrong_ && source == 2) ++levels_[0];
  }
  [[nodiscard]] AnswerView answer() const override {
    return answer_on_host(Answer::levels, 3, levels_.data(), nullptr);
  }
  [[nodiscard]] MemoryUse memory() const override { return {}; }

 private:
  std::int64_t queues_;
  bool small_, wrong_;
  std::vector<level_t> levels_;
};

EngineInfo refuser() {
  EngineInfo info;
  info.name = "refuser";
  info.toggles = {Toggle::integer("queues", 1, 1, 9, "d"), Toggle::flag("small", false, "d"),
                  Toggle::flag("wrong", false, "d")};
  info.make = [](const EngineSettings& settings) {
    return std::make_unique<Refuser>(settings.toggles);
  };
  info.may_refuse = [](const Toggles& toggles) {
    return toggles.integer("queues") > 1 || toggles.flag("small");
  };
  return info;
}

void take(const EngineInfo& info, const Toggles& toggles, Refusals* refusals) {
  static const auto graph = make_graph(3, {{0, 1}, {1, 2}});
  Exam(*graph, {0, 1, 2}).take(info, {toggles, Answer::levels}, *graph, refusals);
}

TEST(ExamsRefusals, AreTakenWhereTheTableNamesThem) {
  const EngineInfo info = refuser();
  Refusals refusals(info);
  for (const Toggles& toggles : each_pair(info)) {
    if (!toggles.flag("wrong")) take(info, toggles, &refusals);
  }
}

TEST(ExamsRefusals, AreThrownOnElsewhere) {
  EngineInfo info = refuser();
  Toggles toggles(info.toggles);
  toggles.set("small", true);
  EXPECT_THROW(take(info, toggles, nullptr), Unsupported);
  info.may_refuse = [](const Toggles& other) { return other.integer("queues") > 1; };
  Refusals refusals(info);
  EXPECT_THROW(take(info, toggles, &refusals), Unsupported);
  info.may_refuse = {};
  EXPECT_THROW(take(info, toggles, &refusals), Unsupported);
}

// Neither a refusal from another source nor one for another value of the setting.
TEST(ExamsRefusals, HideNoWrongAnswer) {
  EXPECT_FATAL_FAILURE(
      {
        const EngineInfo info = refuser();
        Toggles toggles(info.toggles);
        for (const char* flag : {"small", "wrong"}) toggles.set(flag, true);
        toggles.set("queues", std::int64_t{9});
        Refusals refusals(info);
        take(info, toggles, &refusals);
      },
      "");
}

TEST(ExamsRefusals, OfEverythingAreAFailure) {
  EXPECT_NONFATAL_FAILURE(
      {
        const EngineInfo info = refuser();
        Refusals refusals(info);
        Toggles toggles(info.toggles);
        toggles.set("small", true);
        refusals.runs(toggles, [] { throw Unsupported("a queue overflows"); });
      },
      "nothing was tested");
}

}  // namespace
}  // namespace bfslab::tests

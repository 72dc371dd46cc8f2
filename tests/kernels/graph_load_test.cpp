// SPDX-License-Identifier: Apache-2.0
// graph-load: what it reports is true of the file and the graph, and its memory is that of this
// load.
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "datasets/load_graph.hpp"
#include "kernels/count/resident_peak.hpp"
#include "kernels/engine.hpp"
#include "tests/datasets/temporary_folder.hpp"

namespace bfslab {
namespace {

using tests::TemporaryFolder;
using tests::write_bytes;

class Measures final : public MeasureSink {
 public:
  void measure(const Measure& measure) override {
    values[{measure.part, measure.metric}] = measure.value;
    units[measure.metric] = measure.unit;
  }
  [[nodiscard]] double at(const char* part, const char* metric) const {
    const auto found = values.find({part, metric});
    EXPECT_NE(found, values.end()) << part << ' ' << metric;
    return found == values.end() ? -1 : found->second;
  }
  [[nodiscard]] bool has(const char* part, const char* metric) const {
    return values.contains({part, metric});
  }
  std::map<std::pair<std::string, std::string>, double> values;
  std::map<std::string, std::string> units;
};

Measures count(const std::string& graph, const LoadOptions& options,
               const ToggleSettings& settings = {}) {
  const EngineInfo* info = find_engine("graph-load");
  Toggles toggles(info->toggles);
  for (const auto& [name, value] : settings) toggles.set(name, value);
  Measures sink;
  info->count({nullptr, GraphName::parse(graph).canonical, &options}, toggles, sink);
  return sink;
}

std::string star_of_text(int leaves) {
  std::string text = "# a star\n";
  for (int leaf = 1; leaf <= leaves; ++leaf) text += "0 " + std::to_string(leaf) + "\n";
  return text;
}

TEST(GraphLoad, TellsTheFileAndTheGraph) {
  const TemporaryFolder folder;
  const std::string text = star_of_text(5000);
  write_bytes(folder.file("star.txt"), text);
  LoadOptions options;
  options.cache_folder = folder.file("cache");
  const Measures told = count("file:" + folder.file("star.txt"), options,
                              {{"repeats", std::int64_t{4}}, {"threads", std::int64_t{2}}});
  EXPECT_EQ(told.at("input", "file_bytes"), static_cast<double>(text.size()));
  EXPECT_EQ(told.at("input", "text_bytes"), static_cast<double>(text.size()));
  EXPECT_EQ(told.at("graph", "vertices"), 5001);
  EXPECT_EQ(told.at("graph", "edges"), 10000);
  EXPECT_EQ(told.at("graph", "input_edges"), 5000);
  options.cache_folder.clear();
  const CsrGraph graph = load_graph(GraphName::parse("file:" + folder.file("star.txt")), options);
  EXPECT_EQ(told.at("graph", "csr_bytes"), static_cast<double>(graph.bytes()));
  EXPECT_EQ(told.at("run", "threads"), 2);
  EXPECT_FALSE(std::filesystem::exists(folder.file("cache/csr"))) << "loaded, not cached";

  double best = told.at("repeat=0", "load_time");
  for (const char* repeat : {"repeat=1", "repeat=2", "repeat=3"}) {
    best = std::min(best, told.at(repeat, "load_time"));
  }
  EXPECT_FALSE(told.has("repeat=4", "load_time"));
  EXPECT_EQ(told.at("best", "load_time"), best);
  EXPECT_GE(told.at("median", "load_time"), best);
  EXPECT_GT(best, 0);
  EXPECT_EQ(told.units.at("load_time"), "ms");
  EXPECT_EQ(told.units.at("csr_bytes"), "B");
}

TEST(GraphLoad, PlainBytesOfAPackedFile) {
  const TemporaryFolder folder;
  const std::string text = star_of_text(20000);
  const std::string path = folder.file("star.txt.gz");
  gzFile file = gzopen(path.c_str(), "wb");
  ASSERT_EQ(gzwrite(file, text.data(), static_cast<unsigned>(text.size())),
            static_cast<int>(text.size()));
  ASSERT_EQ(gzclose(file), Z_OK);
  const Measures told = count("file:" + path, {}, {{"repeats", std::int64_t{1}}});
  EXPECT_EQ(told.at("input", "text_bytes"), static_cast<double>(text.size()));
  EXPECT_EQ(told.at("input", "file_bytes"), static_cast<double>(std::filesystem::file_size(path)));
  EXPECT_LT(told.at("input", "file_bytes"), told.at("input", "text_bytes"));
  EXPECT_EQ(told.at("best", "load_time"), told.at("median", "load_time"));
}

TEST(GraphLoad, GeneratorsHaveNoInputAndTheirMemoryIsSeen) {
  const Measures told = count("kronecker:scale=17", {}, {{"repeats", std::int64_t{2}}});
  EXPECT_FALSE(told.has("input", "file_bytes"));
  EXPECT_FALSE(told.has("input", "text_bytes"));
  if (told.at("memory", "known") == 0) {
    EXPECT_FALSE(told.has("memory", "peak_bytes"));
    GTEST_SKIP() << "this kernel does not set the high-water mark back";
  }
  // The CSR itself is part of it; pages counted late may be missing.
  EXPECT_GE(told.at("memory", "peak_bytes"), 0.9 * told.at("graph", "csr_bytes"));
}

TEST(GraphLoad, FromTheCache) {
  const TemporaryFolder folder;
  LoadOptions options;
  options.cache_folder = folder.file("cache");
  for (const char* source : {"cache", "cache_mapped"}) {
    const Measures told = count("kronecker:scale=10", options, {{"source", std::string(source)}});
    EXPECT_GT(told.at("graph", "edges"), 0);
    EXPECT_FALSE(told.has("input", "text_bytes"));
  }
  EXPECT_TRUE(std::filesystem::exists(folder.file("cache/csr")));
  EXPECT_THROW(count("kronecker:scale=10", {}, {{"source", std::string("cache")}}), InputError);
  write_bytes(folder.file("plug"), "");  // a file where the folder should be
  options.cache_folder = folder.file("plug");
  EXPECT_THROW(count("kronecker:scale=10", options, {{"source", std::string("cache")}}),
               InputError);
}

TEST(GraphLoad, BadInputIsRefused) {
  const TemporaryFolder folder;
  write_bytes(folder.file("bad.txt"), "1 2\nthree 4\n");
  EXPECT_THROW(count("file:" + folder.file("bad.txt"), {}), InputError);
}

TEST(ResidentPeak, SeesWhatRisesAndForgetsWhatWasBefore) {
  constexpr std::size_t kBytes = std::size_t{96} << 20;
  const auto rise = [] {
    const auto block = std::make_unique_for_overwrite<char[]>(kBytes);
    std::memset(block.get(), 1, kBytes);
    EXPECT_EQ(static_cast<volatile char*>(block.get())[kBytes / 2], 1);
  };
  const ResidentPeak first;
  if (!first.known()) GTEST_SKIP() << "this kernel does not set the high-water mark back";
  EXPECT_GT(first.start(), 0U);
  rise();
  EXPECT_GE(first.risen(), kBytes - (kBytes >> 3));
  const ResidentPeak second;
  EXPECT_LT(second.risen(), kBytes / 2);
}

}  // namespace
}  // namespace bfslab

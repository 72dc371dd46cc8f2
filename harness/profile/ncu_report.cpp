// SPDX-License-Identifier: Apache-2.0
#include "harness/profile/ncu_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <regex>

#include "datasets/graph/types.hpp"
#include "harness/record/csv.hpp"

namespace bfslab {

namespace {

constexpr const char* kRangesColumn = "Push/Pop_Range";
constexpr std::string_view kTime = "gpu_time";
constexpr std::string_view kStall = "smsp__average_warps_issue_stalled_";
constexpr std::string_view kStallEnd = "_per_issue_active";

struct Counter {
  const char* ncu;
  std::string_view metric;
  const char* unit;
  bool adds_up;
};
constexpr Counter kCounters[] = {
    {"gpu__time_duration.sum", kTime, "ms", true},
    {"dram__bytes_read.sum", "dram_read_bytes", "B", true},
    {"dram__bytes_write.sum", "dram_written_bytes", "B", true},
    {"lts__t_bytes.sum", "l2_bytes", "B", true},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "global_load_requests", "1", true},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "global_load_sectors", "1", true},
    {"smsp__inst_executed.sum", "warp_instructions", "1", true},
    {"smsp__sass_inst_executed_op_global_atom.sum", "global_atomics", "1", true},
    {"smsp__inst_executed_op_global_red.sum", "global_reductions", "1", true},
    {"sm__warps_active.avg.pct_of_peak_sustained_active", "occupancy", "%", false},
};

// Names the metrics of a peak: a rate per cycle, and the cycles per second.
struct Peak {
  const char* each_cycle;
  const char* cycles;
  const char* metric;
  const char* unit;
};
constexpr Peak kPeaks[] = {
    {"dram__bytes.sum.peak_sustained", "dram__cycles_elapsed.avg.per_second", "dram_peak", "B/s"},
    {"smsp__inst_executed.sum.peak_sustained", "smsp__cycles_elapsed.avg.per_second",
     "instruction_peak", "1/s"},
};

// Returns the factor from ncu's unit to ours: ms, B, cycles per second.
double factor_of(const std::string& unit, const std::string& metric) {
  static const std::map<std::string, double> factors = {{"ns", 1e-6},
                                                        {"nsecond", 1e-6},
                                                        {"us", 1e-3},
                                                        {"usecond", 1e-3},
                                                        {"ms", 1},
                                                        {"msecond", 1},
                                                        {"s", 1e3},
                                                        {"second", 1e3},
                                                        {"byte", 1},
                                                        {"Kbyte", 1e3},
                                                        {"Mbyte", 1e6},
                                                        {"Gbyte", 1e9},
                                                        {"Tbyte", 1e12},
                                                        {"hz", 1},
                                                        {"Khz", 1e3},
                                                        {"Mhz", 1e6},
                                                        {"Ghz", 1e9},
                                                        {"Hz", 1},
                                                        {"KHz", 1e3},
                                                        {"MHz", 1e6},
                                                        {"GHz", 1e9},
                                                        {"cycle/second", 1},
                                                        {"cycle/s", 1},
                                                        {"cycle/usecond", 1e6},
                                                        {"cycle/us", 1e6},
                                                        {"cycle/nsecond", 1e9},
                                                        {"cycle/ns", 1e9},
                                                        {"byte/cycle", 1},
                                                        {"Kbyte/cycle", 1e3},
                                                        {"inst/cycle", 1},
                                                        {"", 1},
                                                        {"%", 1},
                                                        {"inst", 1},
                                                        {"sector", 1},
                                                        {"request", 1},
                                                        {"warp", 1},
                                                        {"1", 1}};
  const auto found = factors.find(unit);
  if (found != factors.end()) return found->second;
  throw InputError(
      fmt::format("ncu reports {} in a unit that is not known here, \"{}\"; print the "
                  "report with --print-units base",
                  metric, unit));
}

// Parses "1,234.5", as ncu prints numbers; empty for "n/a" and the like.
std::optional<double> number(std::string text) {
  std::erase(text, ',');
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

struct Range {
  std::string name;
  std::string payload;
};

// Returns the ranges of our domain, the outermost first. The cell is that of a thread:
//
//   1918  "bfslab:kronecker:scale=20:none:none:none:none:ASCII:kronecker:scale=20"  "CCCL:..."
//
// By the name of the column, these are domain, range, types and values of payload, color and
// message. The message repeats the range's name, which shows where a name with colons ends.
std::vector<Range> ranges_of(std::string_view cell) {
  static const std::regex form(R"(bfslab:(.*):[^:]*:([^:]*):[^:]*:[^:]*:[^:]*:\1)");
  static constexpr std::string_view kBetween = R"("  ")";
  std::vector<Range> ranges;
  const std::size_t begin = cell.find('"');
  const std::size_t end = cell.rfind('"');
  if (begin == end) return ranges;  // none
  cell = cell.substr(begin + 1, end - begin - 1);
  for (bool last = false; !last;) {
    const std::size_t length = cell.find(kBetween);
    last = length == std::string_view::npos;
    const std::string_view text = cell.substr(0, length);
    std::match_results<std::string_view::const_iterator> found;
    if (std::regex_match(text.begin(), text.end(), found, form)) {
      ranges.push_back({found[1].str(), found[2].str()});
    }
    if (!last) cell.remove_prefix(length + kBetween.size());
  }
  return ranges;
}

template <typename Integer>
std::optional<Integer> integer(const std::string& text) {
  Integer value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Reads experiment > graph > case > source > measured > level; empty for a kernel outside of them.
std::optional<KernelPlace> place_of(const std::vector<Range>& ranges) {
  const auto measured = std::ranges::find(ranges, "measured", &Range::name);
  if (measured == ranges.end() || measured - ranges.begin() < 4) return std::nullopt;
  const std::string prefix = "source ";
  if (!measured[-1].name.starts_with(prefix)) return std::nullopt;
  const auto source = integer<vertex_t>(measured[-1].name.substr(prefix.size()));
  if (!source) return std::nullopt;
  KernelPlace place;
  place.source = *source;
  place.case_name = measured[-2].name;
  place.configuration = integer<std::uint64_t>(measured[-2].payload);
  place.graph = measured[-3].name;
  static const std::regex level(R"(level (\d+) (top_down|bottom_up) (.*))");
  std::smatch found;
  if (measured + 1 != ranges.end() && std::regex_match(measured[1].name, found, level)) {
    place.level = integer<level_t>(found[1].str());
    place.direction = found[2].str();
    place.technique = found[3].str();
  }
  return place;
}

// Returns "count_unvisited" for "void bfslab::<unnamed>::count_unvisited<4, 0>(bfslab::XbfsWork)".
std::string short_name(std::string text) {
  static const std::regex nameless(R"((<unnamed>|\(anonymous namespace\))::)");
  text = std::regex_replace(text, nameless, "");
  text = text.substr(0, text.find_first_of("(<"));
  const std::size_t begin = text.find_last_of(" :");
  return begin == std::string::npos ? text : text.substr(begin + 1);
}

class Report {
 public:
  Report(const std::vector<CsvRecord>& records, std::string file)
      : header_(records.at(0).fields), units_(records.at(1).fields), file_(std::move(file)) {}

  std::size_t column(std::string_view part) const {
    const auto found = std::ranges::find_if(
        header_, [&](const std::string& name) { return name.find(part) != std::string::npos; });
    if (found != header_.end()) return static_cast<std::size_t>(found - header_.begin());
    throw InputError(fmt::format(
        "{}: no column {}; it must be what `ncu --import FILE --csv --page raw` prints of a report "
        "that was made with --nvtx",
        file_, part));
  }

  std::optional<double> value(const std::vector<std::string>& row, const std::string& name) const {
    const auto found = std::ranges::find(header_, name);
    if (found == header_.end()) return std::nullopt;
    const auto at = static_cast<std::size_t>(found - header_.begin());
    const auto read = number(row[at]);
    if (!read) return std::nullopt;
    const double factor = factor_of(units_[at], name);
    return factor < 1 ? *read / std::round(1 / factor) : *read * factor;  // 3520 ns are 0.00352 ms
  }

  // Adds the counters of a launch, with the user's own metrics among them.
  void add(const std::vector<std::string>& row, const std::vector<std::string>& own_metrics,
           KernelCounts& counts) const {
    const double ms = value(row, kCounters[0].ncu).value_or(0);
    const double before = counts.values[std::string(kTime)];
    ++counts.launches;
    const auto mean = [&](const std::string& metric, std::optional<double> counted) {
      if (!counted) return;
      const auto [at, fresh] = counts.values.try_emplace(metric, *counted);
      if (fresh || before + ms <= 0) return;
      at->second = (at->second * before + *counted * ms) / (before + ms);
    };
    for (const Counter& counter : kCounters) {
      const auto counted = value(row, counter.ncu);
      if (!counter.adds_up) {
        mean(std::string(counter.metric), counted);
      } else if (counted && counter.metric != kTime) {
        counts.values[std::string(counter.metric)] += *counted;
      }
    }
    for (const Peak& peak : kPeaks) {
      const auto each_cycle = value(row, peak.each_cycle);
      const auto cycles = value(row, peak.cycles);
      if (each_cycle && cycles) mean(peak.metric, *each_cycle * *cycles);
    }
    for (const std::string& name : header_) {
      const std::size_t end = name.find(kStallEnd);
      if (!name.starts_with(kStall) || end == std::string::npos) continue;
      mean("stall_" + name.substr(kStall.size(), end - kStall.size()), value(row, name));
    }
    for (const std::string& name : own_metrics) {
      const std::size_t at = own_column(name);
      const auto counted = number(row[at]);
      if (!counted) continue;
      counts.own_units[name] = units_[at].empty() ? "1" : units_[at];
      if (name.ends_with(".sum")) {
        counts.values[name] += *counted;
      } else {
        mean(name, counted);
      }
    }
    counts.values[std::string(kTime)] += ms;
  }

  // Returns the column of one of the user's own metrics.
  [[nodiscard]] std::size_t own_column(const std::string& name) const {
    const auto found = std::ranges::find(header_, name);
    if (found != header_.end()) return static_cast<std::size_t>(found - header_.begin());
    throw InputError(
        fmt::format("{}: no column {}: `ncu --query-metrics-mode suffix --metrics {}` lists the "
                    "names that this "
                    "GPU has",
                    file_, name, name.substr(0, name.find('.'))));
  }

  [[nodiscard]] std::size_t width() const { return header_.size(); }

 private:
  const std::vector<std::string>& header_;
  const std::vector<std::string>& units_;
  std::string file_;
};

}  // namespace

std::vector<std::string> ncu_metrics() {
  std::vector<std::string> names;
  for (const Counter& counter : kCounters) names.emplace_back(counter.ncu);
  for (const Peak& peak : kPeaks) {
    names.emplace_back(peak.each_cycle);
    names.emplace_back(peak.cycles);
  }
  return names;
}

std::string unit_of(std::string_view metric) {
  for (const Counter& counter : kCounters) {
    if (metric == counter.metric) return counter.unit;
  }
  for (const Peak& peak : kPeaks) {
    if (metric == peak.metric) return peak.unit;
  }
  return "1";
}

std::map<KernelPlace, KernelCounts> read_ncu_csv(const std::string& text, const std::string& file,
                                                 const std::vector<std::string>& own_metrics) {
  // Before the header are lines of the tool itself, "==PROF== ...".
  std::size_t begin = text.starts_with("\"ID\"") ? 0 : text.find("\n\"ID\"");
  if (begin == std::string::npos) {
    throw InputError(fmt::format("{}: no header of ncu's raw page (\"ID\", ...)", file));
  }
  if (begin > 0) ++begin;
  std::string table = text.substr(begin);
  if (!table.ends_with('\n')) table += '\n';
  const std::vector<CsvRecord> records = parse_csv(table);
  if (records.size() < 3) throw InputError(fmt::format("{}: no kernels", file));
  const Report report(records, file);
  const std::size_t ranges_at = report.column(kRangesColumn);
  const std::size_t kernel_at = report.column("Kernel Name");
  std::map<KernelPlace, KernelCounts> found;
  for (std::size_t i = 2; i < records.size(); ++i) {
    const std::vector<std::string>& row = records[i].fields;
    if (row.size() != report.width()) {
      if (row.front().starts_with("==")) continue;  // the tool's own lines
      throw InputError(
          fmt::format("{}: the line of kernel {} has {} of {} columns: is the file whole?", file,
                      i - 2, row.size(), report.width()));
    }
    auto place = place_of(ranges_of(row[ranges_at]));
    if (!place) continue;
    place->kernel = short_name(row[kernel_at]);
    const auto [entry, fresh] = found.try_emplace(*place);
    if (fresh) entry->second.order = i - 2;
    report.add(row, own_metrics, entry->second);
  }
  if (found.empty()) {
    throw InputError(fmt::format("{}: none of its {} kernels lies in a measured range of bfslab",
                                 file, records.size() - 2));
  }
  return found;
}

std::string known_fault(const std::string& log) {
  struct Fault {
    const char* mark;
    const char* cure;
  };
  constexpr Fault kFaults[] = {
      {"ERR_NVGPUCTRPERM",
       "this user may not read the GPU's counters (ERR_NVGPUCTRPERM); run as root, or let everyone "
       "read them: put `options nvidia NVreg_RestrictProfilingToAdminUsers=0` into a file of "
       "/etc/modprobe.d and load the driver anew; a container needs `--cap-add SYS_ADMIN`, and on "
       "a "
       "virtual machine the host must allow it"},
      {"No kernels were profiled",
       "no kernel lies in the range that was asked for: the cases of --only may run on the CPU, "
       "have no such level or technique, or have failed (the rows in the folder of results say "
       "so)"},
      {"Profiling is not supported on device",
       "this version of ncu does not know this GPU (`ncu --list-chips`): install another one"},
      {"a driver resource was unavailable",
       "another tool reads the GPU's counters, such as a service of DCGM: stop it meanwhile"},
  };
  for (const Fault& fault : kFaults) {
    if (log.find(fault.mark) != std::string::npos) return fault.cure;
  }
  return {};
}

std::vector<MeasureRow> measure_rows(const KernelPlace& place, const KernelCounts& counts) {
  std::vector<MeasureRow> rows;
  const auto add = [&](const std::string& metric, double value) {
    MeasureRow row;
    row.level = place.level;
    row.part = "kernel=" + place.kernel;
    if (place.level) {
      row.part += fmt::format(";direction={};technique={}", place.direction, place.technique);
    }
    row.metric = metric;
    row.value = value;
    const auto own = counts.own_units.find(metric);
    row.unit = own == counts.own_units.end() ? unit_of(metric) : own->second;
    rows.push_back(std::move(row));
  };
  add("launches", static_cast<double>(counts.launches));
  add("order", static_cast<double>(counts.order));
  for (const auto& [metric, value] : counts.values) add(metric, value);
  return rows;
}

}  // namespace bfslab

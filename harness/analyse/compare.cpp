// SPDX-License-Identifier: Apache-2.0
#include "harness/analyse/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>
#include <tuple>

#include "harness/record/environment.hpp"

namespace bfslab {

namespace {

constexpr Judgement kJudgements[] = {Judgement::faster, Judgement::slower, Judgement::same,
                                     Judgement::undecided};

using Names = std::set<std::string>;
using KeysByEngine = std::map<std::string, Names>;
// The columns that have to agree.
using Key = std::tuple<std::string, std::string, std::string, std::string, std::string, unsigned,
                       unsigned, std::uint64_t, std::string, std::map<std::string, std::string>>;

using Places = std::map<Key, std::vector<CellPlace>>;

KeysByEngine toggles_by_engine(const std::vector<Experiment>& side) {
  KeysByEngine names;
  for (const Experiment& experiment : side) {
    for (const ResultCell& cell : experiment.cells) {
      for (const auto& [name, value] : toggles_of(cell.key)) names[cell.key.engine].insert(name);
    }
  }
  return names;
}

// Compares the toggles of both sides per engine; those that only one side has go to `notes`.
KeysByEngine common_toggles(const std::vector<Experiment>& a, const std::vector<Experiment>& b,
                            std::vector<std::string>& notes) {
  const KeysByEngine in_a = toggles_by_engine(a);
  KeysByEngine common;
  for (const auto& [engine, names] : toggles_by_engine(b)) {
    const auto others = in_a.find(engine);
    if (others == in_a.end()) continue;
    std::vector<std::string> single;
    std::ranges::set_intersection(names, others->second,
                                  std::inserter(common[engine], common[engine].end()));
    std::ranges::set_symmetric_difference(names, others->second, std::back_inserter(single));
    if (!single.empty()) {
      notes.push_back(fmt::format("{}: only one side has the toggle {}, which is not compared",
                                  engine, fmt::join(single, ", ")));
    }
  }
  return common;
}

// Removes the ignored toggles. Throws if no engine has one of them on either side.
void ignore_toggles(KeysByEngine& common, const std::vector<Experiment>& a,
                    const std::vector<Experiment>& b, const Ignored& ignored) {
  Names known;
  for (const auto* side : {&a, &b}) {
    for (const auto& [engine, names] : toggles_by_engine(*side)) {
      known.insert(names.begin(), names.end());
    }
  }
  for (const std::string& name : ignored.toggles) {
    if (!known.contains(name)) {
      throw InputError(fmt::format(
          "--ignore: found \"{}\", expected `case`, `experiment` or a toggle of these engines: {}",
          name, fmt::join(known, ", ")));
    }
    for (auto& [engine, names] : common) names.erase(name);
  }
}

// The values of each column that --ignore takes and that is not ignored yet.
std::map<std::string, Names> ignorable_values(const std::vector<Experiment>& side,
                                              const KeysByEngine& common, bool by_experiment,
                                              bool by_case) {
  std::map<std::string, Names> values;
  for (const Experiment& experiment : side) {
    if (by_experiment) values["experiment"].insert(experiment.name);
    for (const ResultCell& cell : experiment.cells) {
      if (by_case) values["case"].insert(cell.key.case_name);
      const auto names = common.find(cell.key.engine);
      for (const auto& [name, value] : toggles_of(cell.key)) {
        if (names != common.end() && names->second.contains(name)) values[name].insert(value);
      }
    }
  }
  return values;
}

// Returns ", and no value of threads (1 in A, 2 in B) is on both sides: --ignore threads ...", or
// nothing if every column has a common value.
std::string ignore_hint(const std::map<std::string, Names>& in_a,
                        const std::map<std::string, Names>& in_b) {
  std::vector<std::string> names;
  std::vector<std::string> values;
  for (const auto& [name, of_a] : in_a) {
    const auto of_b = in_b.find(name);
    if (of_b == in_b.end()) continue;
    std::vector<std::string> both;
    std::ranges::set_intersection(of_a, of_b->second, std::back_inserter(both));
    if (!both.empty()) continue;
    names.push_back(name);
    values.push_back(fmt::format("{} ({} in A, {} in B)", name, fmt::join(of_a, " and "),
                                 fmt::join(of_b->second, " and ")));
  }
  if (names.empty()) return {};
  return fmt::format(
      "\nboth sides have no value in common of {}; to compare them all the same, say "
      "--ignore {}",
      fmt::join(values, ", "), fmt::join(names, ","));
}

// Returns a line that says so where no engine is on both sides, or nothing.
std::string engine_hint(const KeysByEngine& in_a, const KeysByEngine& in_b) {
  const auto engines_of = [](const KeysByEngine& side) {
    std::vector<std::string> names;
    for (const auto& each : side) names.push_back(each.first);
    return names;
  };
  const auto in_both = [&](const auto& each) { return in_b.contains(each.first); };
  if (in_a.empty() || in_b.empty() || std::ranges::any_of(in_a, in_both)) return {};
  return fmt::format(
      "\nno engine is on both sides ({} in A, {} in B): `bfslab bench` compares engines",
      fmt::join(engines_of(in_a), " and "), fmt::join(engines_of(in_b), " and "));
}

Places places_of(const std::vector<Experiment>& side, const KeysByEngine& common,
                 bool by_experiment, bool by_case) {
  Places places;
  for (const Experiment& experiment : side) {
    for (const ResultCell& cell : experiment.cells) {
      if (cell.statuses.empty()) continue;  // nothing was timed
      std::map<std::string, std::string> toggles;
      const auto names = common.find(cell.key.engine);
      for (const auto& [name, value] : toggles_of(cell.key)) {
        if (names != common.end() && names->second.contains(name)) toggles.emplace(name, value);
      }
      places[{by_experiment ? experiment.name : "", by_case ? cell.key.case_name : "",
              cell.key.graph, cell.key.engine, cell.key.answer, cell.key.ranks,
              cell.key.gpus_per_rank, cell.key.searches_per_trial.value_or(1), cell.key.caches,
              std::move(toggles)}]
          .push_back({&experiment, &cell});
    }
  }
  return places;
}

void note_small_sources(const std::vector<Experiment>& side, const char* name,
                        std::vector<std::string>& notes) {
  for (const Experiment& experiment : side) {
    for (const std::string& line : small_sources_lines(experiment.small_sources)) {
      notes.push_back(fmt::format("{}, in {}: {}", experiment.name, name, line));
    }
  }
}

std::string text_of(const ResultCell& cell) {
  return fmt::format("{}: {} on {}", cell.experiment, cell.series, cell.key.graph);
}

std::string failure_of(const ResultCell& cell) {
  for (const auto& [status, count] : cell.statuses) {
    if (status != Status::ok) return status_text(cell.statuses);
  }
  return {};
}

Names sources_of(const std::map<vertex_t, ProcessTimes>& times) {
  Names names;
  for (const auto& [source, processes] : times) names.insert(std::to_string(source));
  return names;
}

// The differences of both sides in words, by their names in Allowed.
using Unlike = std::map<std::string, std::set<std::string>>;

// A graph that could not be loaded has no contents.
std::string contents_difference(const ResultCell& a, const ResultCell& b) {
  if (a.key.graph_hash.empty()) return fmt::format("{} was not loaded in A", a.key.graph);
  if (b.key.graph_hash.empty()) return fmt::format("{} was not loaded in B", b.key.graph);
  return fmt::format("{} has contents {} in A and {} in B", a.key.graph, a.key.graph_hash,
                     b.key.graph_hash);
}

Unlike unlike_of(const CellPlace& a, const CellPlace& b, const Allowed& allowed) {
  Unlike unlike;
  if (!allowed.graphs && a.cell->key.graph_hash != b.cell->key.graph_hash) {
    unlike["graphs"].insert(contents_difference(*a.cell, *b.cell));
  }
  const Names in_a = sources_of(a.cell->usable(true));
  const Names in_b = sources_of(b.cell->usable(true));
  if (!allowed.sources && in_a != in_b && failure_of(*a.cell).empty() &&
      failure_of(*b.cell).empty()) {
    unlike["sources"].insert(
        fmt::format("{} has {} sources in A and {} in B, and not the same ones", a.cell->key.graph,
                    in_a.size(), in_b.size()));
  }
  if (allowed.machines) return unlike;
  const std::string difference =
      machine_difference(a.experiment->environment, b.experiment->environment);
  if (!difference.empty()) unlike["machines"].insert(fmt::format("from A to B, {}", difference));
  return unlike;
}

[[noreturn]] void refuse(const Unlike& unlike) {
  constexpr std::size_t kMaxLines = 5;
  std::string text = "these results are not of the same thing:";
  std::vector<std::string> kinds;
  for (const auto& [kind, lines] : unlike) {
    kinds.push_back(kind);
    std::size_t listed = 0;
    for (const std::string& line : lines) {
      if (listed++ == kMaxLines) break;
      text += fmt::format("\n  {}: {}", kind, line);
    }
    if (lines.size() > kMaxLines)
      text += fmt::format("\n  {}: and {} more", kind, lines.size() - kMaxLines);
  }
  throw InputError(
      fmt::format("{}\nto compare them all the same, say --allow {}", text, fmt::join(kinds, ",")));
}

using Pairs = std::vector<std::pair<CellPlace, CellPlace>>;

// Leaves out cells of unlike graphs or sources. Throws if the machines differ, or if nothing would
// be left.
void keep_alike(Pairs& pairs, const Allowed& allowed, std::vector<std::string>& left_out) {
  Unlike all;
  Pairs alike;
  for (const auto& pair : pairs) {
    const Unlike unlike = unlike_of(pair.first, pair.second, allowed);
    if (unlike.empty()) alike.push_back(pair);
    for (const auto& [kind, lines] : unlike) {
      all[kind].insert(lines.begin(), lines.end());
      left_out.push_back(fmt::format("{}: {}; --allow {} compares it all the same",
                                     text_of(*pair.first.cell), *lines.begin(), kind));
    }
  }
  if (alike.empty() || all.contains("machines")) refuse(all);
  pairs = std::move(alike);
}

std::optional<Comparison> compare_cells(const CellPlace& place_a, const CellPlace& place_b,
                                        const Allowed& allowed, double same_pct,
                                        std::vector<std::string>& left_out) {
  const ResultCell& a = *place_a.cell;
  const ResultCell& b = *place_b.cell;
  for (const auto& [name, place] : {std::pair("A", &place_a), std::pair("B", &place_b)}) {
    if (const std::string failure = failure_of(*place->cell); !failure.empty()) {
      left_out.push_back(fmt::format("{}: in {}, {}", text_of(a), name, failure));
      return std::nullopt;
    }
    if (!allowed.builds && place->cell->builds.size() > 1) {
      left_out.push_back(
          fmt::format("{}: in {}, times of {} builds ({}); --allow builds compares them all the "
                      "same",
                      text_of(a), name, place->cell->builds.size(),
                      builds_text(*place->experiment, place->cell->builds)));
      return std::nullopt;
    }
  }
  const auto [times_a, times_b] =
      common_times(a.usable(allowed.polluted), b.usable(allowed.polluted));
  if (times_a.empty()) {
    const bool polluted = a.polluted + b.polluted > 0;
    left_out.push_back(fmt::format(
        "{}: {}", text_of(a),
        polluted ? fmt::format("no source has clean trials on both sides (polluted: {} of {} in A, "
                               "{} of {} in B); --allow polluted uses them",
                               a.polluted, a.timed, b.polluted, b.timed)
                 : "no source in common"));
    return std::nullopt;
  }
  Comparison row{&a,
                 &b,
                 median_time(times_a),
                 median_time(times_b),
                 paired_ratio(times_b, times_a, Pairing::other_processes),
                 Judgement::undecided,
                 times_a.size(),
                 0};
  row.verdict = verdict_of(row.ratio, same_pct);
  if (allowed.polluted) {
    row.polluted = a.polluted + b.polluted;
  } else if (a.polluted + b.polluted > 0) {
    left_out.push_back(fmt::format("{}: sources with polluted trials ({} in A, {} in B)",
                                   text_of(a), a.dirty_times.size(), b.dirty_times.size()));
  }
  return row;
}

constexpr const char* kAmbiguous = "differ only in what is not compared";

// Returns the first line about several configurations of a side that are the same to the match.
std::string ambiguity(const std::vector<std::string>& left_out) {
  const auto line = std::ranges::find_if(
      left_out, [](const std::string& each) { return each.ends_with(kAmbiguous); });
  return line == left_out.end() ? std::string() : "\n" + *line;
}

// Pairs the cells that are of one configuration; `left_out` gets the others.
Pairs match(const Places& in_a, Places in_b, std::vector<std::string>& left_out) {
  Pairs pairs;
  for (const auto& [key, places] : in_a) {
    const auto found = in_b.find(key);
    if (found == in_b.end()) {
      for (const CellPlace& each : places) {
        left_out.push_back(fmt::format("{}: only in A", text_of(*each.cell)));
      }
      continue;
    }
    if (places.size() == 1 && found->second.size() == 1) {
      pairs.emplace_back(places.front(), found->second.front());
    } else {
      left_out.push_back(fmt::format("{}: {} configurations in A and {} in B {}",
                                     text_of(*places.front().cell), places.size(),
                                     found->second.size(), kAmbiguous));
    }
    in_b.erase(found);
  }
  for (const auto& [key, places] : in_b) {
    for (const CellPlace& each : places) {
      left_out.push_back(fmt::format("{}: only in B", text_of(*each.cell)));
    }
  }
  return pairs;
}

}  // namespace

const char* to_text(Judgement verdict) {
  constexpr const char* kNames[] = {"faster", "slower", "same", "undecided"};
  return kNames[static_cast<int>(verdict)];
}

Allowed Allowed::parse(const std::string& text) {
  Allowed allowed;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    bool* const meant = word == "graphs"     ? &allowed.graphs
                        : word == "sources"  ? &allowed.sources
                        : word == "machines" ? &allowed.machines
                        : word == "polluted" ? &allowed.polluted
                        : word == "builds"   ? &allowed.builds
                                             : nullptr;
    if (meant == nullptr) {
      throw InputError(fmt::format(
          "--allow: found \"{}\", expected some of graphs, sources, machines, polluted and builds, "
          "joined by commas",
          word));
    }
    *meant = true;
  }
  return allowed;
}

Ignored Ignored::parse(const std::string& text) {
  Ignored ignored;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    if (word == "case") {
      ignored.case_name = true;
    } else if (word == "experiment") {
      ignored.experiment = true;
    } else {
      ignored.toggles.insert(word);
    }
  }
  return ignored;
}

Judgement verdict_of(const IntervalEstimate& ratio, double same_pct) {
  if (!ratio.interval) return Judgement::undecided;
  const double most = 1 + same_pct / 100;
  if (ratio.interval->low >= 1 / most && ratio.interval->high <= most) return Judgement::same;
  if (ratio.interval->high < 1) return Judgement::faster;
  if (ratio.interval->low > 1) return Judgement::slower;
  return Judgement::undecided;
}

Compared compare(const std::vector<Experiment>& a, const std::vector<Experiment>& b,
                 const Allowed& allowed, const Ignored& ignored, double same_pct) {
  Compared compared;
  const bool by_experiment = !ignored.experiment && (a.size() > 1 || b.size() > 1);
  KeysByEngine common = common_toggles(a, b, compared.notes);
  ignore_toggles(common, a, b, ignored);
  note_small_sources(a, "A", compared.notes);
  note_small_sources(b, "B", compared.notes);
  const bool by_case = !ignored.case_name;
  const Places in_a = places_of(a, common, by_experiment, by_case);
  const Places in_b = places_of(b, common, by_experiment, by_case);
  Pairs pairs = match(in_a, in_b, compared.left_out);
  if (pairs.empty()) {
    const std::string hint = engine_hint(toggles_by_engine(a), toggles_by_engine(b));
    throw InputError(fmt::format(
        "no configuration is on both sides (A has {}, B has {}): they match by experiment, case, "
        "graph, engine, toggles, ranks, searches per trial and state of caches{}{}",
        in_a.size(), in_b.size(), ambiguity(compared.left_out),
        hint.empty() ? ignore_hint(ignorable_values(a, common, by_experiment, by_case),
                                   ignorable_values(b, common, by_experiment, by_case))
                     : hint));
  }
  keep_alike(pairs, allowed, compared.left_out);
  SourceTimes ratios;
  SourceTimes ones;
  for (const auto& [of_a, of_b] : pairs) {
    const auto row = compare_cells(of_a, of_b, allowed, same_pct, compared.left_out);
    if (!row) continue;
    compared.rows.push_back(*row);
    ratios.push_back({{row->ratio.value}});
    ones.push_back({{1}});
  }
  if (!ratios.empty()) compared.overall = paired_ratio(ratios, ones, Pairing::same_processes);
  return compared;
}

FailRule::FailRule(const std::string& text) : text_(text) {
  const std::size_t sign = text.find('>');
  const std::string word = text.substr(0, sign);
  const auto verdict =
      std::ranges::find_if(kJudgements, [&](Judgement each) { return word == to_text(each); });
  bool good = verdict != std::end(kJudgements);
  if (good && sign != std::string::npos) {
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data() + sign + 1, last, pct_);
    good = error == std::errc() && std::isfinite(pct_) && pct_ >= 0 &&
           (end == last || std::string_view(end) == "%") &&
           (*verdict == Judgement::faster || *verdict == Judgement::slower);
  }
  if (!good) {
    throw InputError(
        fmt::format("--fail-if: found \"{}\", expected a verdict (faster, slower, same, "
                    "undecided), of the first two maybe with a percentage, as in slower>5%",
                    text));
  }
  verdict_ = *verdict;
}

bool FailRule::fails(const Comparison& row) const {
  if (row.verdict != verdict_) return false;
  const double ratio = verdict_ == Judgement::faster ? 1 / row.ratio.value : row.ratio.value;
  return pct_ == 0 || ratio > 1 + pct_ / 100;
}

}  // namespace bfslab

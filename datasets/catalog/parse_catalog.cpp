// SPDX-License-Identifier: Apache-2.0
// datasets/catalog.json -> Catalog. Every mistake is reported at once, with entry and key.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "datasets/catalog/catalog.hpp"
#include "datasets/graph/types.hpp"
#include "datasets/text/plain_name.hpp"
#include "datasets/text/printable.hpp"
#include "datasets/text/spelling.hpp"

namespace bfslab {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kDeepest = 8;  // entries, entry, its lists; what prints a value recurses
constexpr std::uint64_t kExactInJson = std::uint64_t{1} << 53;

std::string in_quotes(std::string_view text) { return '"' + std::string(text) + '"'; }

// The text, without anything that would break a message's line or fill the screen.
std::string shown(const Json& value) {
  std::string text = value.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
  if (text.size() > 80) text = text.substr(0, 77) + "...";
  return text;
}

bool is_graph_name(std::string_view text) { return text.size() <= 80 && is_plain_name(text); }

// Provenance is written as "key=value;key=value", one row per line.
bool is_one_line(std::string_view text) {
  return text.find_first_of(";\n\r") == std::string_view::npos;
}

bool is_sha256(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

class Reader {
 public:
  explicit Reader(std::string file) : file_(std::move(file)) {}

  Catalog read(std::string_view text);

 private:
  void report(const std::string& place, const std::string& problem) {
    errors_ += fmt::format("{}{}: {}: {}", errors_.empty() ? "" : "\n", file_, printable(place),
                           printable(problem));
  }
  void expect(const std::string& place, std::string_view key, const Json& found,
              std::string_view expected) {
    report(place, fmt::format("{}: found {}, expected {}", key, shown(found), expected));
  }
  Json parse(std::string_view text);
  // Returns whether the value is an object with known keys only and all required ones.
  bool check_keys(const std::string& place, const Json& value,
                  const std::vector<std::string>& known, const std::vector<std::string>& required);
  void take(const std::string& place, const Json& from, const char* key, std::string& out);
  void take(const std::string& place, const Json& from, const char* key, bool& out);
  void take(const std::string& place, const Json& from, const char* key, std::uint64_t& out);
  void take(const std::string& place, const Json& from, const char* key,
            std::vector<std::string>& out);
  const Json& list(const Json& from, const char* key);
  void read_entry(const std::string& place, const Json& json);
  void check_entry(const std::string& place, const CatalogEntry& entry);
  void read_group(const std::string& place, const Json& json);
  void check_fresh_name(const std::string& place, const std::string& name);

  std::string file_;
  std::string errors_;
  Catalog catalog_;
  std::set<std::string> names_;
};

Json Reader::parse(std::string_view text) {
  // nlohmann keeps the last of two equal keys; two values for one fact are a mistake here.
  std::vector<std::set<std::string>> open;
  const auto watch = [&](int depth, Json::parse_event_t event, Json& value) {
    if (depth > kDeepest) throw InputError(fmt::format("{}: brackets too deep", file_));
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end && !open.empty()) open.pop_back();
    if (event == Json::parse_event_t::key && !open.empty() &&
        !open.back().insert(value.get<std::string>()).second) {
      report("twice in one object", "the key " + shown(value));
    }
    return true;
  };
  try {
    return Json::parse(text.begin(), text.end(), watch);
  } catch (const Json::exception& error) {
    throw InputError(fmt::format("{}: is no JSON: {}", file_, error.what()));
  }
}

bool Reader::check_keys(const std::string& place, const Json& value,
                        const std::vector<std::string>& known,
                        const std::vector<std::string>& required) {
  if (!value.is_object()) {
    report(place, fmt::format("found {}, expected an object", shown(value)));
    return false;
  }
  for (const auto& [key, ignored] : value.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    report(place, fmt::format("unknown key {}, expected one of {}{}", shown(Json(key)),
                              fmt::join(known, ", "), did_you_mean(key, known)));
  }
  for (const std::string& key : required) {
    if (!value.contains(key)) report(place, fmt::format("the key {} is missing", in_quotes(key)));
  }
  return true;
}

void Reader::take(const std::string& place, const Json& from, const char* key, std::string& out) {
  const auto found = from.find(key);
  if (found == from.end()) return;
  if (found->is_string() && !found->get_ref<const std::string&>().empty()) {
    out = found->get<std::string>();
  } else {
    expect(place, key, *found, "a text that is not empty");
  }
}

void Reader::take(const std::string& place, const Json& from, const char* key, bool& out) {
  const auto found = from.find(key);
  if (found == from.end()) return;
  if (found->is_boolean()) {
    out = found->get<bool>();
  } else {
    expect(place, key, *found, "true or false");
  }
}

void Reader::take(const std::string& place, const Json& from, const char* key, std::uint64_t& out) {
  const auto found = from.find(key);
  if (found == from.end()) return;
  if (found->is_number_unsigned() && found->get<std::uint64_t>() >= 1 &&
      found->get<std::uint64_t>() <= kExactInJson) {
    out = found->get<std::uint64_t>();
  } else {
    expect(place, key, *found,
           "a whole number from 1 to 2^53 (left out where it is not published)");
  }
}

void Reader::take(const std::string& place, const Json& from, const char* key,
                  std::vector<std::string>& out) {
  const auto found = from.find(key);
  if (found == from.end()) return;
  if (!found->is_array()) {
    expect(place, key, *found, "a list of texts");
    return;
  }
  for (const Json& item : *found) {
    if (!item.is_string() || item.get_ref<const std::string&>().empty()) {
      expect(place, key, item, "a text that is not empty");
    } else if (std::find(out.begin(), out.end(), item.get<std::string>()) != out.end()) {
      expect(place, key, item, "each once");
    } else {
      out.push_back(item.get<std::string>());
    }
  }
}

void Reader::check_fresh_name(const std::string& place, const std::string& name) {
  if (name.empty()) return;
  if (!is_graph_name(name)) {
    report(place, fmt::format("name: found {}, expected at most 80 letters, digits and - _ . + @, "
                              "no '.' first",
                              shown(Json(name))));
    return;
  }
  if (name.ends_with(kStandInEnding)) {
    report(place, fmt::format("name: found {}, but -standin at the end means an entry's stand-in",
                              in_quotes(name)));
  }
  if (!names_.insert(name).second) {
    report(place, fmt::format("name: {} is there already", in_quotes(name)));
  }
}

void Reader::check_entry(const std::string& place, const CatalogEntry& entry) {
  const auto& counts = edge_counts();
  if (std::find(counts.begin(), counts.end(), entry.edges_are) == counts.end() &&
      !(entry.edges == 0 && entry.edges_are.empty())) {
    report(place, fmt::format("edges_are: found {}, expected one of {}, beside edges",
                              shown(Json(entry.edges_are)), fmt::join(counts, ", ")));
  }
  if (entry.edges == 0 && !entry.edges_are.empty()) {
    report(place, "edges_are: says what edges counts, and there is no edges");
  }
  for (const auto* sum : {&entry.sha256, &entry.packed_sha256}) {
    if (sum->empty() || is_sha256(*sum)) continue;
    report(place,
           fmt::format("{}: found {}, expected 64 digits 0-9a-f",
                       sum == &entry.sha256 ? "sha256" : "packed_sha256", shown(Json(*sum))));
  }
  if (!entry.see.empty() && !entry.see.starts_with("http://") &&
      !entry.see.starts_with("https://")) {
    report(place, fmt::format("see: found {}, expected the address of a page, http(s)://...",
                              shown(Json(entry.see))));
  }
  for (const auto& [key, text] : {std::pair("title", &entry.title),
                                  {"terms", &entry.terms},
                                  {"edition", &entry.edition},
                                  {"note", &entry.note}}) {
    if (key != std::string_view("note") && !is_one_line(*text)) {
      report(place, fmt::format("{}: has a ';' or a line break, which rows cannot hold", key));
    }
  }
}

void Reader::read_entry(const std::string& place, const Json& json) {
  static const std::vector<std::string> known = {
      "name",          "title",    "graph",    "format",  "addresses", "see",
      "member",        "directed", "vertices", "edges",   "edges_are", "sha256",
      "packed_sha256", "terms",    "used_by",  "edition", "stand_in",  "note"};
  if (!check_keys(place, json, known, {"name", "title", "graph", "directed", "terms", "used_by"})) {
    return;
  }
  CatalogEntry entry;
  take(place, json, "name", entry.name);
  const std::string named = entry.name.empty() ? place : "entry " + shown(Json(entry.name));
  take(named, json, "title", entry.title);
  take(named, json, "graph", entry.graph);
  take(named, json, "format", entry.format);
  take(named, json, "addresses", entry.addresses);
  take(named, json, "see", entry.see);
  take(named, json, "member", entry.member);
  take(named, json, "directed", entry.directed);
  take(named, json, "vertices", entry.vertices);
  take(named, json, "edges", entry.edges);
  take(named, json, "edges_are", entry.edges_are);
  take(named, json, "sha256", entry.sha256);
  take(named, json, "packed_sha256", entry.packed_sha256);
  take(named, json, "terms", entry.terms);
  take(named, json, "used_by", entry.used_by);
  take(named, json, "edition", entry.edition);
  take(named, json, "stand_in", entry.stand_in);
  take(named, json, "note", entry.note);
  check_fresh_name(named, entry.name);
  check_entry(named, entry);
  catalog_.entries.push_back(std::move(entry));
}

void Reader::read_group(const std::string& place, const Json& json) {
  if (!check_keys(place, json, {"name", "doc", "members"}, {"name", "doc", "members"})) return;
  CatalogGroup group;
  take(place, json, "name", group.name);
  const std::string named = group.name.empty() ? place : "group " + shown(Json(group.name));
  take(named, json, "doc", group.doc);
  take(named, json, "members", group.members);
  check_fresh_name(named, group.name);
  std::vector<std::string> entries;
  for (const CatalogEntry& entry : catalog_.entries) entries.push_back(entry.name);
  for (const std::string& member : group.members) {
    if (catalog_.find(member) != nullptr) continue;
    report(named, fmt::format("members: {} is no entry{}", shown(Json(member)),
                              did_you_mean(member, entries)));
  }
  if (group.members.empty()) report(named, "members: a group needs one at least");
  catalog_.groups.push_back(std::move(group));
}

const Json& Reader::list(const Json& from, const char* key) {
  static const Json none = Json::array();
  const auto found = from.find(key);
  if (found == from.end()) return none;  // reported as missing
  if (found->is_array()) return *found;
  expect("the catalogue", key, *found, "a list");
  return none;
}

Catalog Reader::read(std::string_view text) {
  const Json json = parse(text);
  if (check_keys("the catalogue", json, {"groups", "entries"}, {"groups", "entries"})) {
    std::size_t number = 0;
    for (const Json& entry : list(json, "entries")) {
      read_entry(fmt::format("entries[{}]", number++), entry);
    }
    number = 0;
    for (const Json& group : list(json, "groups")) {
      read_group(fmt::format("groups[{}]", number++), group);
    }
  }
  if (!errors_.empty()) throw InputError(errors_);
  return std::move(catalog_);
}

}  // namespace

const std::vector<std::string>& edge_counts() {
  static const std::vector<std::string> counts = {"edge lines", "undirected edges", "doubled edges",
                                                  "simple edges"};
  return counts;
}

Catalog parse_catalog(std::string_view text, const std::string& file) {
  return Reader(file).read(text);
}

}  // namespace bfslab

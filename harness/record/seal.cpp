// SPDX-License-Identifier: Apache-2.0
#include "harness/record/seal.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "datasets/graph/types.hpp"
#include "datasets/text/sha256.hpp"
#include "harness/record/csv.hpp"

namespace bfslab {

namespace {

constexpr std::size_t kDigits = kSealTail - 2;
constexpr const char* kMendSeals =
    "put the file back as it was recorded, or measure again with --fresh, which moves the folder "
    "aside";

constexpr std::size_t kHeaderTail = kSealColumn.size() + 2;  // ",seal\n"

bool is_sealed_header(std::string_view header) {
  return header.ends_with(fmt::format(",{}\n", kSealColumn));
}

}  // namespace

std::string seal_of(std::string_view before, std::string_view record) {
  return Sha256().add(before).add("\n").add(record).hex().substr(0, kDigits);
}

bool says_sealed(const std::string& environment) {
  const auto all = nlohmann::json::parse(environment, nullptr, false);
  if (!all.is_object()) return false;
  const auto sealed = all.find("sealed");
  if (sealed != all.end() && *sealed == true) return true;
  const auto format = all.find("format");
  return format != all.end() && format->is_number_unsigned() && *format >= kSealedFormat;
}

std::string begun_at(const std::string& environment) {
  const auto all = nlohmann::json::parse(environment, nullptr, false);
  if (!all.is_object()) return {};
  const auto utc = all.find("utc");
  return utc != all.end() && utc->is_string() ? utc->get<std::string>() : std::string();
}

Sealer::Sealer(const std::string& path, const std::string& begun) {
  const std::string file = std::filesystem::path(path).filename().string();
  last_ = fmt::format("{} {}", file.substr(0, file.find('.')), begun);
}

std::string Sealer::header(const std::vector<std::string>& columns) {
  std::vector<std::string> sealed = columns;
  sealed.emplace_back(kSealColumn);
  std::string header = csv_row(sealed);
  pass_header(header);
  return header;
}

void Sealer::pass_header(std::string_view header) {
  last_ = seal_of(last_, header.substr(0, header.size() - kHeaderTail));
}

std::string Sealer::row(std::string_view row) {
  const std::string_view record = row.substr(0, row.size() - 1);
  last_ = seal_of(last_, record);
  return fmt::format("{},{}\n", record, last_);
}

bool Sealer::follows(std::string_view record) {
  if (record.size() < kSealTail) return false;
  const std::size_t comma = record.size() - kSealTail;
  last_ = seal_of(last_, record.substr(0, comma));
  return record[comma] == ',' && record.substr(comma + 1, kDigits) == last_;
}

std::string sealed_table(const std::string& path, const std::string& begun,
                         const std::vector<std::string>& columns,
                         std::span<const std::string> rows) {
  Sealer sealer(path, begun);
  std::string text = sealer.header(columns);
  for (const std::string& row : rows) text += sealer.row(row);
  return text;
}

std::string without_seal(std::string_view record) {
  return std::string(record.substr(0, record.size() - kSealTail)) + '\n';
}

bool require_seals(std::string_view text, const std::string& path, const std::string& environment) {
  require_sound_table(text, path);
  std::size_t begin = record_end(text, 0);
  if (begin == std::string_view::npos) return true;
  const std::string_view header = text.substr(0, begin);
  if (!is_sealed_header(header)) {
    if (!says_sealed(environment)) return false;
    throw InputError(fmt::format(
        "{}:1: has no last column {}, and environment.json beside it says that its rows are "
        "sealed: something else has changed the file; {}",
        path, kSealColumn, kMendSeals));
  }
  Sealer sealer(path, begun_at(environment));
  sealer.pass_header(header);
  for (std::size_t end = 0; (end = record_end(text, begin)) != std::string_view::npos;
       begin = end) {
    if (sealer.follows(text.substr(begin, end - begin))) continue;
    const bool first = begin == header.size();
    throw InputError(fmt::format(
        "{}:{}: by its seal, this row does not follow from {}: something else has changed a row, "
        "taken one out, or put one in; {}",
        path, line_of(text, begin), first ? "the header and environment.json" : "the row before it",
        kMendSeals));
  }
  return true;
}

}  // namespace bfslab

// SPDX-License-Identifier: Apache-2.0
// A column of a table of rows: its name, its meaning, and how a row's member is written as a field
// and read back. The files *_columns.def declare all columns. Writers, the worker's protocol, the
// loader of plots/ and docs/rows.md read the tables that are made from them (tables.hpp).
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <concepts>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/record/rows.hpp"

namespace bfslab {

// The values of a column's fields: "flag" is 0 or 1, "list" is numbers joined by ';'.
enum class ColumnType { text, integer, real, flag, list };

// Writes a member as text and reads it back, with every digit.
namespace field {

template <typename T>
struct Codec;

template <>
struct Codec<std::string> {
  static constexpr ColumnType kType = ColumnType::text;
  static std::string write(const std::string& value) { return value; }
  static std::string read(const std::string& text) { return text; }
};

template <>
struct Codec<Status> {
  static constexpr ColumnType kType = ColumnType::text;
  static std::string write(Status value) { return to_text(value); }
  static Status read(const std::string& text) { return status_from(text); }
};

template <>
struct Codec<bool> {
  static constexpr ColumnType kType = ColumnType::flag;
  static std::string write(bool value) { return value ? "1" : "0"; }
  static bool read(const std::string& text) {
    if (text != "0" && text != "1") {
      throw std::invalid_argument(fmt::format("found \"{}\" where 0 or 1 belongs", text));
    }
    return text == "1";
  }
};

template <typename T>
requires std::integral<T> || std::floating_point<T>
struct Codec<T> {
  static constexpr ColumnType kType = std::integral<T> ? ColumnType::integer : ColumnType::real;
  static std::string write(T value) { return fmt::format("{}", value); }
  static T read(const std::string& text) {
    T value{};
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, value);
    if (error != std::errc() || end != last) {
      throw std::invalid_argument(fmt::format("found \"{}\" where a number belongs", text));
    }
    return value;
  }
};

template <typename T>
struct Codec<std::vector<T>> {
  static constexpr ColumnType kType = ColumnType::list;
  static std::string write(const std::vector<T>& values) {
    return fmt::format("{}", fmt::join(values, ";"));
  }
  static std::vector<T> read(const std::string& text) {
    std::vector<T> values;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find(';', begin), text.size());
      values.push_back(Codec<T>::read(text.substr(begin, end - begin)));
      begin = end + 1;
    }
    return values;
  }
};

// An empty field is a value that was not measured.
template <typename T>
struct Codec<std::optional<T>> {
  static constexpr ColumnType kType = Codec<T>::kType;
  static std::string write(const std::optional<T>& value) {
    return value ? Codec<T>::write(*value) : std::string();
  }
  static std::optional<T> read(const std::string& text) {
    if (text.empty()) return std::nullopt;
    return Codec<T>::read(text);
  }
};

template <typename T>
inline constexpr bool kNullable = false;
template <typename T>
inline constexpr bool kNullable<std::optional<T>> = true;

}  // namespace field

// The facts of a column's entry in its *_columns.def beside its type and its member.
struct ColumnText {
  const char* name = nullptr;  // the member's name where there is none
  const char* unit = "";       // "ms", "B", "vertices", ...; empty where values are no quantity
  bool may_be_empty = false;   // text or a list; for numbers the member's type decides
  const char* old_name = "";   // the column's name in older formats; empty if it had no other
  const char* doc = "";        // sentences
};

struct ColumnFacts {
  std::string name;
  ColumnType type = ColumnType::text;
  bool nullable = false;  // may be empty, and may be missing from files of older versions
  std::string unit;
  std::string doc;
  std::string old_name = {};
};

template <typename Row>
struct Column : ColumnFacts {
  bool from_worker = false;  // else the driver knows it
  std::function<std::string(const Row&)> write;
  std::function<void(Row&, const std::string&)> read;  // throws std::invalid_argument
};

template <typename Row, typename Owner, typename T>
Column<Row> make_column(bool from_worker, const char* name, T Owner::*member,
                        const ColumnText& text) {
  using Codec = field::Codec<T>;
  Column<Row> column;
  column.name = text.name != nullptr ? text.name : name;
  column.type = Codec::kType;
  column.nullable = text.may_be_empty || field::kNullable<T>;
  column.unit = text.unit;
  column.doc = text.doc;
  column.old_name = text.old_name;
  column.from_worker = from_worker;
  column.write = [member](const Row& row) { return Codec::write(row.*member); };
  column.read = [member](Row& row, const std::string& value) { row.*member = Codec::read(value); };
  return column;
}

}  // namespace bfslab

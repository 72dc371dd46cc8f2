// SPDX-License-Identifier: Apache-2.0
// A column of a table of rows, declared once: its name, what it means, and how a row's member is
// written as a field and read back. Writers, the worker's protocol, the loader of plots/ and
// docs/rows.md all read these declarations (tables.hpp).
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

// What the fields of a column hold: "flag" is 0 or 1, "list" is numbers joined by ';'.
enum class ColumnType { text, integer, real, flag, list };

// How a member is written as text and read back, every digit of it.
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

struct ColumnFacts {
  std::string name;
  ColumnType type = ColumnType::text;
  bool nullable = false;  // may be empty, and may be missing from files of older versions
  std::string unit;       // "ms", "B", "vertices", ...; empty where the values are no quantity
  std::string doc;        // one sentence
};

template <typename Row>
struct Column : ColumnFacts {
  bool told_by_worker = false;  // else the driver knows it
  std::function<std::string(const Row&)> write;
  std::function<void(Row&, const std::string&)> read;  // throws std::invalid_argument
};

template <typename Row, typename Owner, typename T>
Column<Row> make_column(bool told_by_worker, const char* name, T Owner::*member, const char* unit,
                        const char* doc) {
  using Codec = field::Codec<T>;
  Column<Row> column;
  column.name = name;
  column.type = Codec::kType;
  column.nullable = field::kNullable<T>;
  column.unit = unit;
  column.doc = doc;
  column.told_by_worker = told_by_worker;
  column.write = [member](const Row& row) { return Codec::write(row.*member); };
  column.read = [member](Row& row, const std::string& text) { row.*member = Codec::read(text); };
  return column;
}

}  // namespace bfslab

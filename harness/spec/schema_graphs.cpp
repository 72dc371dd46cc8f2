// Graph names as regular expressions, so that an editor marks a wrong parameter while it is typed.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "datasets/name/named_kinds.hpp"
#include "datasets/read/reader.hpp"
#include "harness/spec/schema.hpp"

namespace bfslab {

namespace {

std::string digit_class(char first, char last) {
  if (first == last) return {first};
  return fmt::format("[{}-{}]", first, last);
}

std::string any_digits(std::size_t count) {
  if (count == 0) return {};
  return count == 1 ? "[0-9]" : fmt::format("[0-9]{{{}}}", count);
}

std::string group(const std::vector<std::string>& alternatives) {
  if (alternatives.size() == 1) return alternatives.front();
  return fmt::format("({})", fmt::join(alternatives, "|"));
}

// Numbers of as many digits as both bounds have.
std::string same_length(const std::string& low, const std::string& high) {
  if (low.empty()) return {};
  const std::string low_tail = low.substr(1);
  const std::string high_tail = high.substr(1);
  if (low.front() == high.front()) {
    return fmt::format("{}{}", low.front(), same_length(low_tail, high_tail));
  }
  const std::string zeros(low_tail.size(), '0');
  const std::string nines(low_tail.size(), '9');
  std::vector<std::string> parts;
  char first = low.front();
  char last = high.front();
  if (low_tail != zeros)
    parts.push_back(fmt::format("{}{}", first++, same_length(low_tail, nines)));
  const bool ragged = high_tail != nines;
  if (ragged) --last;
  if (first <= last) parts.push_back(digit_class(first, last) + any_digits(zeros.size()));
  if (ragged) parts.push_back(fmt::format("{}{}", high.front(), same_length(zeros, high_tail)));
  return group(parts);
}

std::string quote(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string value_pattern(const GraphParameter& parameter) {
  switch (parameter.kind) {
    case GraphParameter::Kind::integer: {
      const auto maximum = parameter.maximum >= 0x1p64
                               ? ~std::uint64_t{0}
                               : static_cast<std::uint64_t>(parameter.maximum);
      return fmt::format("0*{}",
                         integer_pattern(static_cast<std::uint64_t>(parameter.minimum), maximum));
    }
    case GraphParameter::Kind::real: {
      const std::string exponent = "[eE][+-]?[0-9]+";
      const std::string plain = "([0-9]+\\.?[0-9]*|\\.[0-9]+)";
      if (parameter.minimum != 0 || parameter.maximum != 1) {
        return fmt::format("-?{}({})?", plain, exponent);
      }
      // A share: exact without an exponent; with one, the parser decides.
      return fmt::format("(0+(\\.[0-9]*)?|\\.[0-9]+|0*1(\\.0*)?|{}{}|-(0+(\\.0*)?|\\.0+)({})?)",
                         plain, exponent, exponent);
    }
    case GraphParameter::Kind::choice:
      break;
  }
  std::vector<std::string> words;
  for (const std::string& choice : parameter.choices) words.push_back(quote(choice));
  return group(words);
}

// A file's ending tells its format, or how its name begins, or format= does.
std::string format_lookahead() {
  std::vector<std::string> endings;
  std::vector<std::string> beginnings;
  std::vector<std::string> names;
  for (const GraphFormat& format : graph_formats()) {
    names.push_back(quote(format.name));
    for (const std::string& ending : format.endings) endings.push_back(quote(ending));
    for (const std::string& prefix : format.prefixes) beginnings.push_back(quote(prefix));
  }
  return fmt::format("(?=[^,]*({})(,|$)|file:([^,]*/)?({})[^,/]*(,|$)|.*,format=({})(,|$))",
                     fmt::join(endings, "|"), fmt::join(beginnings, "|"), fmt::join(names, "|"));
}

}  // namespace

std::string integer_pattern(std::uint64_t minimum, std::uint64_t maximum) {
  const std::string low = std::to_string(minimum);
  const std::string high = std::to_string(maximum);
  std::vector<std::string> parts;
  for (std::size_t digits = low.size(); digits <= high.size(); ++digits) {
    std::string first(digits, '0');
    if (digits > 1) first.front() = '1';
    parts.push_back(same_length(digits == low.size() ? low : first,
                                digits == high.size() ? high : std::string(digits, '9')));
  }
  return group(parts);
}

std::string bare_name_pattern(const std::vector<std::string>& names) {
  std::string conditions;
  std::vector<std::string> items;
  for (const GraphParameter& option : build_parameters()) {
    conditions += fmt::format("(?!.*,{0}=.*,{0}=)", option.name);  // given once
    items.push_back(fmt::format("{}={}", option.name, value_pattern(option)));
  }
  std::vector<std::string> words;
  for (const std::string& name : names) words.push_back(quote(name));
  return fmt::format("^{}({})(,{})*$", conditions, fmt::join(words, "|"), group(items));
}

std::string graph_pattern(const GraphKind& kind) {
  std::vector<GraphParameter> parameters = kind.parameters;
  parameters.insert(parameters.end(), build_parameters().begin(), build_parameters().end());
  const char* before = kind.takes_path ? "," : "[:,]";
  std::string conditions;
  std::vector<std::string> items;
  for (const GraphParameter& parameter : parameters) {
    const std::string start = fmt::format("{}{}=", before, parameter.name);
    if (parameter.default_value.empty()) conditions += fmt::format("(?=.*{})", start);
    conditions += fmt::format("(?!.*{}.*{})", start, start);  // given once
    items.push_back(fmt::format("{}={}", parameter.name, value_pattern(parameter)));
  }
  if (kind.name == "file") conditions += format_lookahead();
  const std::string item = group(items);
  // What stands in a union's parentheses is left to the parser.
  const std::string part = R"(([0-9]+\*)?\([^()]+\))";
  std::string path = kind.name == "union" ? fmt::format("{}(\\+{})*", part, part) : "[^,]+";
  if (const NamedKind* named = find_named_kind(kind.name)) {
    const std::string plain = "[A-Za-z0-9_+@-][A-Za-z0-9._+@-]*";
    path = named->form.find('/') == std::string::npos ? plain : plain + "/" + plain;
  }
  const std::string rest = kind.takes_path ? fmt::format(":{}(,{})*", path, item)
                                           : fmt::format("(:({}(,{})*)?)?", item, item);
  return fmt::format("^{}{}{}$", conditions, kind.name, rest);
}

}  // namespace bfslab

// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/shell_words.hpp"

namespace bfslab {

std::string shell_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string shell_word(const std::string& text) {
  const char* const plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_";
  const bool safe = !text.empty() && text.find_first_not_of(plain) == std::string::npos;
  return safe ? text : shell_quoted(text);
}

}  // namespace bfslab

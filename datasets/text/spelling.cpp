// SPDX-License-Identifier: Apache-2.0
#include "datasets/text/spelling.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace bfslab {

namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// Damerau's edit distance (Damerau, CACM 1964; restricted to optimal string alignment), so that a
// swap of neighbouring letters, the most common slip, counts as one mistake.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + changed});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest_spelling(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.empty() || word.size() > 64) return {};
  const std::string wanted = lower(word);
  std::string nearest;
  std::size_t smallest = 0;
  for (const std::string& candidate : candidates) {
    const std::string spelling = lower(candidate);
    // In a short word every letter may be wrong by chance: about a third may differ.
    const std::size_t allowed = std::max(wanted.size(), spelling.size()) / 3;
    const std::size_t distance = edit_distance(wanted, spelling);
    // A prefix or a plural ("thread") is closer than letters changed at random.
    const bool beginning = wanted.size() >= 3 && spelling.starts_with(wanted);
    if (distance > std::max<std::size_t>(allowed, 1) && !beginning) continue;
    if (wanted.size() <= 2 && distance > 0 && !beginning) continue;
    if (nearest.empty() || distance < smallest) {
      nearest = candidate;
      smallest = distance;
    }
  }
  return nearest == word ? std::string() : nearest;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string nearest = nearest_spelling(word, candidates);
  return nearest.empty() ? "" : "; did you mean \"" + nearest + "\"?";
}

}  // namespace bfslab

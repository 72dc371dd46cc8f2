// SPDX-License-Identifier: Apache-2.0
// Makes packed files for tests, with the writing side of the same libraries.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace bfslab::tests {

std::string gzip_of(const std::string& text);
// False where the build lacks the part; the test is then skipped.
bool has_zstd();
bool has_archives();
std::string zstd_of(const std::string& text);
std::string bzip2_of(const std::string& text);

struct TarMember {
  std::string path;
  std::string text;
  std::string link;  // a symbolic link to it; empty: a regular file
};
// format: "ustar", "gnutar", "pax" or "v7tar".
std::string tar_of(const std::vector<TarMember>& members, const std::string& format = "ustar");

}  // namespace bfslab::tests

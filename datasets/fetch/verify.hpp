// SPDX-License-Identifier: Apache-2.0
// Decides whether a downloaded file is the complete file that was meant.
#pragma once

#include <functional>
#include <string>

namespace bfslab {

struct Expected {
  // The place that the file is meant for: its ending gives the packing ("ca-GrQc.txt.gz").
  std::string target;
  std::string member;  // of an archive, as a glob; empty: none is known
  std::string sha256;  // of the plain text, lower-case hex; empty: none is known
};

struct Verdict {
  enum class State {
    whole,    // unpacked to its end without a fault, and with the right checksum where one is known
    damaged,  // truncated, corrupt, empty, a web page, or not packed as its name says
    mismatch,   // complete, but not the text whose checksum is known
    unreadable  // this build has no library for its packing: not checked
  };
  State state = State::whole;
  std::string reason;  // one line; empty when whole
};

// Returns whether a file of this name is protected by its packing's own checksums, so that
// verify_file() would notice if it were combined from two editions.
bool packing_protects(const std::string& target);

// SHA-256 of the file's own bytes, in lower-case hex. `poll` as below. Throws std::system_error.
std::string file_sha256(const std::string& path, const std::function<void()>& poll);

// Unpacks the file once from beginning to end, as the readers do; holds a few hundred KiB. `poll`
// (may be empty, may throw) is called every few hundred KiB. Throws std::system_error when the file
// cannot be read.
Verdict verify_file(const std::string& path, const Expected& expected,
                    const std::function<void()>& poll);

}  // namespace bfslab

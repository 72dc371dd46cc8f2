// SPDX-License-Identifier: Apache-2.0
// One file from one place into its part: requested, continued, tried again and checked, until it is
// complete or cannot be completed.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "datasets/fetch/fetch.hpp"
#include "datasets/fetch/part_file.hpp"
#include "datasets/fetch/verify.hpp"

namespace bfslab {

// Why one address did not provide the file; the next one may.
struct Unavailable {
  std::string reason;
};

// Returns whether a mirror is the beginning of an address, not a folder.
bool is_address(const std::string& mirror);

class Download {
 public:
  // Keeps references to all three.
  Download(const RemoteFile& file, const FetchOptions& options, PartFile& part)
      : file_(file), options_(options), part_(part) {}

  // Until the part is the complete file. Throws Unavailable, and what PartFile and http_download
  // throw.
  void run();

 private:
  void say(const std::string& text) const;
  void copy();
  void download();
  void decide_what_to_keep(const std::string& address);
  // Judges one response. Returns true if the part is now the complete file, false to ask again.
  // `continued`: the part also holds bytes of an earlier response.
  bool accept(const HttpResult& got, bool continued);
  bool check(const HttpResult& got, bool continued);
  [[nodiscard]] bool can_check() const;
  [[nodiscard]] std::uint64_t max_bytes() const;
  [[noreturn]] void refuse_size(const std::string& found);
  void begin_anew(const std::string& reason);
  Verdict verify();
  [[noreturn]] void set_aside(const Verdict& verdict);
  void wait_and_retry(const std::string& reason, std::optional<double> server_asks_s);
  [[nodiscard]] std::string gave_up(const std::string& reason, std::optional<double> server_asks_s,
                                    std::uint64_t kept) const;

  const RemoteFile& file_;
  const FetchOptions& options_;
  PartFile& part_;
  std::string address_;  // that is asked
  std::minstd_rand random_{std::random_device()()};
  unsigned retry_ = 0;  // in a row without progress
  unsigned anew_ = 0;
  std::uint64_t most_ = 0;  // the most bytes that the part has had
};

}  // namespace bfslab

// SPDX-License-Identifier: Apache-2.0
#include "datasets/fetch/download.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <thread>
#include <vector>

#include "datasets/name/addresses.hpp"

namespace bfslab {

namespace {

constexpr unsigned kMaxBeginnings = 2;
constexpr std::uint64_t kProgress_bytes = std::uint64_t{1} << 20;

}  // namespace

bool is_address(const std::string& mirror) { return mirror.find("://") != std::string::npos; }

void Download::run() {
  if (!options_.mirror.empty() && !is_address(options_.mirror)) {
    copy();
  } else {
    download();
  }
}

void Download::say(const std::string& text) const {
  if (options_.notice) options_.notice(text);
}

void Download::copy() {
  const auto from = std::filesystem::path(options_.mirror) / below_mirror(file_.address);
  std::error_code error;
  const std::uint64_t total = std::filesystem::file_size(from, error);
  std::ifstream source(from, std::ios::binary);
  if (!source || error) throw Unavailable{fmt::format("there is no file {}", from.string())};
  if (total > max_bytes()) refuse_size(fmt::format("{} has {} bytes", from.string(), total));
  part_.cut(0);
  std::vector<char> block(std::size_t{1} << 20);
  std::uint64_t done = 0;
  while (source.read(block.data(), static_cast<std::streamsize>(block.size())),
         source.gcount() > 0) {
    const auto count = static_cast<std::size_t>(source.gcount());
    part_.append(block.data(), count);
    done += count;
    if (done > total) break;  // it grows while it is read
    if (options_.poll) options_.poll();
    if (options_.progress) options_.progress(done, total);
  }
  if (done != total) throw Unavailable{fmt::format("{} cannot be read", from.string())};
  const Verdict verdict = verify();
  if (verdict.state == Verdict::State::mismatch) set_aside(verdict);
  if (verdict.state == Verdict::State::damaged) {
    part_.discard();
    throw Unavailable{fmt::format("{}: {}", from.string(), verdict.reason)};
  }
}

void Download::download() {
  address_ = file_.address;
  if (!options_.mirror.empty()) {
    const bool slash = options_.mirror.ends_with('/');
    address_ = options_.mirror + (slash ? "" : "/") + below_mirror(file_.address);
  }
  decide_what_to_keep(address_);
  const HttpRequest request{address_, options_.limits, max_bytes(), options_.progress,
                            options_.poll};
  while (true) {
    const std::uint64_t before = part_.size();
    if (before > 0) say(fmt::format("continuing {} at {} bytes", part_.path(), before));
    const HttpResult got = http_download(request, part_);
    if (got.begun_anew) {
      say("the server sent the file from its first byte on: it has changed there, or the server "
          "does not support ranges");
    }
    if (accept(got, before > 0 && !got.begun_anew)) return;
  }
}

// A part may hold the beginning of an edition other than the server's current one. It is continued
// if the server can be asked to compare, or if the combined file can be checked afterwards.
void Download::decide_what_to_keep(const std::string& address) {
  if (part_.size() == 0) return;
  const PartOrigin origin = part_.origin();
  if ((origin.address == address && !origin.validator().empty()) || can_check()) return;
  say(fmt::format("{} may be of another edition, which cannot be checked: starting again",
                  part_.path()));
  part_.cut(0);
}

bool Download::accept(const HttpResult& got, bool continued) {
  using State = HttpResult::State;
  switch (got.state) {
    case State::complete:
    case State::range_refused:
      return check(got, continued);
    case State::changed:
      begin_anew(got.reason);
      return false;
    case State::unresolved:
      // Without a network every attempt fails alike; in the middle of a file the fault is
      // transient.
      if (most_ == 0) throw Unavailable{got.reason};
      wait_and_retry(got.reason, std::nullopt);
      return false;
    case State::interrupted:
    case State::busy:
      wait_and_retry(got.reason, got.retry_after_s);
      return false;
    case State::too_large:
      refuse_size(got.reason);
    case State::refused:
      break;
  }
  throw Unavailable{got.reason};
}

bool Download::check(const HttpResult& got, bool continued) {
  if (got.state == HttpResult::State::range_refused && !can_check()) {
    begin_anew(
        "the server has no more bytes than are here, and it cannot be checked whether they are "
        "the same");
    return false;
  }
  const Verdict verdict = verify();
  if (verdict.state == Verdict::State::whole || verdict.state == Verdict::State::unreadable) {
    return true;
  }
  if (continued) {  // of two editions, or longer than the server's: one more attempt from byte zero
    begin_anew(fmt::format("what was continued is not the file ({})", verdict.reason));
    return false;
  }
  if (verdict.state == Verdict::State::mismatch) set_aside(verdict);
  part_.cut(0);
  if (!got.length_known) {  // the connection may have been cut without being noticed
    wait_and_retry(verdict.reason, std::nullopt);
    return false;
  }
  part_.discard();
  throw Unavailable{verdict.reason};
}

bool Download::can_check() const {
  return packing_protects(part_.target()) || !file_.sha256.empty();
}

std::uint64_t Download::max_bytes() const {
  if (options_.max_bytes != 0) return options_.max_bytes;
  return file_.max_bytes != 0 ? file_.max_bytes : kMaxBytes;
}

void Download::refuse_size(const std::string& found) {
  part_.cut(0);  // an empty part is removed
  throw Unavailable{fmt::format(
      "{}, and at most {} are expected ({}); allow more with --max-size if that is right", found,
      max_bytes(),
      options_.max_bytes != 0 ? "--max-size"
      : file_.max_bytes != 0  ? "by the graph's published number of edges"
                              : "where nothing is published")};
}

void Download::begin_anew(const std::string& reason) {
  if (anew_++ == kMaxBeginnings) throw Unavailable{fmt::format("{}, repeatedly", reason)};
  say(fmt::format("{}: starting again", reason));
  part_.cut(0);
}

Verdict Download::verify() {
  Verdict verdict =
      verify_file(part_.path(), {part_.target(), file_.member, file_.sha256}, options_.poll);
  if (verdict.state == Verdict::State::unreadable) say(verdict.reason);
  // Distributors and mirrors pack a text again from time to time: only the checksum of the text
  // decides.
  if (verdict.state != Verdict::State::damaged && file_.sha256.empty() &&
      !file_.packed_sha256.empty()) {
    const std::string found = file_sha256(part_.path(), options_.poll);
    if (found != file_.packed_sha256) {
      say(fmt::format("its sha256 is {}, the catalogue's {}: packed again, or another edition",
                      found, file_.packed_sha256));
    }
  }
  return verdict;
}

void Download::set_aside(const Verdict& verdict) {
  const std::string aside = part_.target() + ".mismatch";
  part_.set_aside(aside);
  throw Unavailable{
      fmt::format("{}: another edition, or not the file at all. It is kept as {}; if you are sure "
                  "that it is right, "
                  "rename it to {}",
                  verdict.reason, aside, part_.target())};
}

void Download::wait_and_retry(const std::string& reason, std::optional<double> server_asks_s) {
  const std::uint64_t size = part_.size();
  if (size >= most_ + kProgress_bytes) retry_ = 0;  // there is progress, however small
  most_ = std::max(most_, size);
  std::uniform_real_distribution<double> below_one(0, 1);
  const auto wait_s = wait_before_retry(options_.retry, retry_, server_asks_s, below_one(random_));
  if (!wait_s) throw Unavailable{gave_up(reason, server_asks_s, size)};
  ++retry_;
  say(fmt::format("{}: {}; retry {} of {} in {:.1f} s", address_, reason, retry_,
                  options_.retry.retries, *wait_s));
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(*wait_s);
  while (Clock::now() < end) {
    if (options_.poll) options_.poll();
    std::this_thread::sleep_for(std::min<std::chrono::duration<double>>(
        std::chrono::milliseconds(100), end - Clock::now()));
  }
}

std::string Download::gave_up(const std::string& reason, std::optional<double> server_asks_s,
                              std::uint64_t kept) const {
  std::string text = reason;
  if (server_asks_s && *server_asks_s > options_.retry.patience_s) {
    text += fmt::format(", and asks for a retry in {:.0f} s", *server_asks_s);
  } else if (retry_ > 0) {
    text += fmt::format(", after {} {}", retry_, retry_ == 1 ? "retry" : "retries");
  }
  if (kept > 0) {
    text += fmt::format(" ({} bytes are kept; the same command continues from there)", kept);
  }
  return text;
}

}  // namespace bfslab

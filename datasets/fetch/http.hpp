// SPDX-License-Identifier: Apache-2.0
// One download over HTTP(S) by libcurl, appended to what already exists.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace bfslab {

class PartFile;

// Bytes on disk so far and in total; the total is zero until the server has announced it.
using FetchProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

struct HttpLimits {
  double connect_s = 20;  // until a connection is established, TLS included
  double stall_s = 60;    // with almost no bytes (less than 100 per second) before it is abandoned
};

struct HttpRequest {
  std::string address;
  HttpLimits limits;
  std::uint64_t max_bytes = 0;  // maximum size of the whole file
  FetchProgress progress;       // may be empty
  std::function<void()> poll;   // called about once a second or more often; may throw to give up
};

struct HttpResult {
  enum class State {
    complete,       // everything that the server announced is in the file
    interrupted,    // the connection failed or stalled: what arrived is kept
    busy,           // 408, 429 or 5xx: the server may succeed later
    unresolved,     // the host's address is unknown: no network, or a wrong name
    changed,        // the server's file is not the one that the part began with
    too_large,      // more than max_bytes, announced or sent
    range_refused,  // 416: the server has no more bytes than we do
    refused         // 404, a certificate that does not verify, ...: trying again would not help
  };
  State state = State::complete;
  std::string reason;                   // one line, empty when complete
  std::optional<double> retry_after_s;  // the wait that a busy server asks for
  bool length_known = true;             // otherwise a cut connection looks like a complete file
  bool begun_anew = false;              // a range was requested, and everything was sent
};

// False when this build has no libcurl; then http_download throws InputError saying so.
bool http_available();

// GET into `part`, from its size on by a range request where it is not empty: with If-Range where
// its origin has a validator of the same address. A server that ignores the range, or has another
// edition, sends everything, and the part is started again. The part's origin is set from the
// answer. TLS certificates are verified; nothing but http and https is followed, and https never to
// http. Throws std::system_error when the file cannot be written, and what `poll` throws.
HttpResult http_download(const HttpRequest& request, PartFile& part);

}  // namespace bfslab

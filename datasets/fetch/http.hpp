// One download over HTTP(S) by libcurl, appended to what is there already.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace bfslab {

// Bytes on disk so far and in all; the total is zero while the server has not said it.
using FetchProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

struct HttpResult {
  enum class State {
    complete,      // everything the server announced is in the file
    interrupted,   // the connection failed or stalled: what arrived is kept, for the next call
    refused,       // the server answered with an error: 404, 503, ...
    range_refused  // 416: the server has fewer bytes than we do
  };
  State state = State::complete;
  std::string reason;  // one line, empty when complete
};

// False when this build has no libcurl; then http_download throws InputError saying so.
bool http_available();

// GET `address` into the open file `descriptor`, from `offset` (the file's size) on by a range
// request. A server that ignores the range sends everything, and the file is begun anew. TLS
// certificates are verified; nothing but http and https is followed, and https never to http.
// Throws std::system_error when the file cannot be written.
HttpResult http_download(const std::string& address, int descriptor, std::uint64_t offset,
                         const FetchProgress& progress);

}  // namespace bfslab

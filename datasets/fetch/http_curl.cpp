// SPDX-License-Identifier: Apache-2.0
#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <memory>
#include <stdexcept>

#include "datasets/fetch/http.hpp"
#include "datasets/fetch/part_file.hpp"

namespace bfslab {

namespace {

constexpr long kOk = 200;
constexpr long kPartialContent = 206;
constexpr long kRequestTimeout = 408;
constexpr long kRangeNotSatisfiable = 416;
constexpr long kTooManyRequests = 429;
constexpr long kSlowest_bytes_s = 100;

// The headers of one answer that matter here; those of a redirect are forgotten at the next.
struct Headers {
  std::string etag;
  std::string modified;
  std::string content_range;
  std::string retry_after;
  std::string location;
  bool length = false;
};

struct Transfer {
  CURL* curl = nullptr;
  const HttpRequest* request = nullptr;
  PartFile* part = nullptr;
  PartOrigin before;          // of the bytes that are present
  std::uint64_t offset = 0;   // asked for
  std::uint64_t written = 0;  // bytes in the file
  Headers headers;
  bool begun = false;
  bool begun_anew = false;
  HttpResult verdict;        // when we ourselves stopped the transfer
  std::exception_ptr error;  // must not pass through libcurl's C frames
};

long status_of(const Transfer& transfer) {
  long status = 0;
  curl_easy_getinfo(transfer.curl, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

bool stop(Transfer& transfer, HttpResult::State state, std::string reason) {
  transfer.verdict.state = state;
  transfer.verdict.reason = std::move(reason);
  return false;
}

bool fits(Transfer& transfer, std::uint64_t bytes, const char* what) {
  if (bytes <= transfer.request->max_bytes) return true;
  return stop(transfer, HttpResult::State::too_large,
              fmt::format("the server {} {} bytes", what, bytes));
}

// "bytes 5000-9999/10000" begins at 5000. A server that sends a different part than requested would
// produce a file that never existed.
bool begins_at(const std::string& content_range, std::uint64_t offset) {
  std::uint64_t begin = 0;
  const std::string_view unit = "bytes ";
  if (!content_range.starts_with(unit)) return false;
  const char* const first = content_range.data() + unit.size();
  const auto [end, error] =
      std::from_chars(first, content_range.data() + content_range.size(), begin);
  return error == std::errc() && *end == '-' && begin == offset;
}

// The first body bytes show whether the server took the range; only a 206 of the same edition
// continues the file. False: stop here, `verdict` says why.
bool begin(Transfer& transfer) {
  const long status = status_of(transfer);
  const Headers& headers = transfer.headers;
  PartOrigin now{transfer.request->address, headers.etag.starts_with("W/") ? "" : headers.etag,
                 headers.modified};
  if (status == kPartialContent && transfer.offset > 0) {
    if (!begins_at(headers.content_range, transfer.offset)) {
      return stop(transfer, HttpResult::State::changed,
                  fmt::format("the server sent \"{}\" where the bytes from {} on were requested",
                              headers.content_range, transfer.offset));
    }
    // Some servers support ranges but not If-Range.
    const bool same_etag =
        now.etag.empty() || transfer.before.etag.empty() || now.etag == transfer.before.etag;
    const bool same_date = now.modified.empty() || transfer.before.modified.empty() ||
                           now.modified == transfer.before.modified;
    if (!same_etag || !same_date) {
      return stop(transfer, HttpResult::State::changed, "the file has changed on the server");
    }
    transfer.written = transfer.offset;
  } else if (status == kOk) {
    transfer.written = 0;
    transfer.begun_anew = transfer.offset > 0;
  } else {
    return stop(transfer, HttpResult::State::refused,
                fmt::format("the server answered {}", status));
  }
  curl_off_t announced = -1;
  curl_easy_getinfo(transfer.curl, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &announced);
  if (announced > 0 &&
      !fits(transfer, transfer.written + static_cast<std::uint64_t>(announced), "announces")) {
    return false;
  }
  transfer.part->cut(transfer.written);
  transfer.part->set_origin(now);
  transfer.begun = true;
  return true;
}

std::size_t on_body(char* data, std::size_t one, std::size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  try {
    if (!transfer.begun && !begin(transfer)) return 0;
    if (!fits(transfer, transfer.written + one * count, "has sent")) return 0;
    transfer.part->append(data, one * count);
    transfer.written += one * count;
    return one * count;
  } catch (...) {
    transfer.error = std::current_exception();
    return 0;  // libcurl stops with CURLE_WRITE_ERROR
  }
}

bool is_header(std::string_view line, std::string_view name, std::string& value) {
  if (line.size() <= name.size() || line[name.size()] != ':') return false;
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (lower(line[i]) != name[i]) return false;
  }
  line.remove_prefix(name.size() + 1);
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = std::min(line.find_first_not_of(kBlank), line.size());
  value = line.substr(first, line.find_last_not_of(kBlank) + 1 - first);
  return true;
}

std::size_t on_header(char* data, std::size_t one, std::size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  const std::string_view line(data, one * count);
  Headers& headers = transfer.headers;
  std::string length;
  if (line.starts_with("HTTP/")) headers = {};
  if (is_header(line, "content-length", length)) headers.length = true;
  is_header(line, "etag", headers.etag) || is_header(line, "last-modified", headers.modified) ||
      is_header(line, "content-range", headers.content_range) ||
      is_header(line, "retry-after", headers.retry_after) ||
      is_header(line, "location", headers.location);
  // CURLOPT_REDIR_PROTOCOLS_STR knows where a chain of redirects began, not where it has come to.
  const char* now = nullptr;
  curl_easy_getinfo(transfer.curl, CURLINFO_EFFECTIVE_URL, &now);
  if (now != nullptr && std::string_view(now).starts_with("https://") &&
      headers.location.starts_with("http://")) {
    stop(transfer, HttpResult::State::refused,
         fmt::format("{} redirects to {}, which is not encrypted", now, headers.location));
    return 0;
  }
  return one * count;
}

int on_progress(void* user, curl_off_t total, curl_off_t now, curl_off_t, curl_off_t) {
  auto& transfer = *static_cast<Transfer*>(user);
  try {
    if (transfer.request->poll) transfer.request->poll();
    if (transfer.begun && transfer.request->progress) {
      const std::uint64_t start = transfer.written - static_cast<std::uint64_t>(now);
      transfer.request->progress(transfer.written,
                                 total > 0 ? start + static_cast<std::uint64_t>(total) : 0);
    }
    return 0;
  } catch (...) {
    transfer.error = std::current_exception();
    return 1;
  }
}

// Seconds, or a date (RFC 9110 section 10.2.3).
std::optional<double> seconds_of(const std::string& retry_after) {
  if (retry_after.empty()) return std::nullopt;
  unsigned seconds = 0;
  const char* const end = retry_after.data() + retry_after.size();
  if (const auto [stop_at, error] = std::from_chars(retry_after.data(), end, seconds);
      error == std::errc() && stop_at == end) {
    return seconds;
  }
  const std::time_t then = curl_getdate(retry_after.c_str(), nullptr);
  if (then < 0) return std::nullopt;
  return std::max(0.0, std::difftime(then, std::time(nullptr)));
}

template <typename Value>
void set(CURL* curl, CURLoption option, Value value) {
  const CURLcode code = curl_easy_setopt(curl, option, value);
  if (code != CURLE_OK)
    throw std::runtime_error(fmt::format("libcurl: {}", curl_easy_strerror(code)));
}

HttpResult::State state_of(CURLcode code) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return HttpResult::State::unresolved;
    case CURLE_COULDNT_CONNECT:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_WEIRD_SERVER_REPLY:
      return HttpResult::State::interrupted;
    default:
      return HttpResult::State::refused;
  }
}

HttpResult answer_of(const Transfer& transfer) {
  const long status = status_of(transfer);
  HttpResult result;
  result.reason = fmt::format("the server answered {}", status);
  if (status == kRangeNotSatisfiable && transfer.offset > 0) {
    result.state = HttpResult::State::range_refused;
  } else if (status >= 500 || status == kTooManyRequests || status == kRequestTimeout) {
    result.state = HttpResult::State::busy;
    result.retry_after_s = seconds_of(transfer.headers.retry_after);
  } else {
    result.state = HttpResult::State::refused;
  }
  return result;
}

void set_up(Transfer& transfer, char* reason) {
  CURL* const curl = transfer.curl;
  const HttpRequest& request = *transfer.request;
  const bool secure = request.address.starts_with("https://");
  set(curl, CURLOPT_URL, request.address.c_str());
  set(curl, CURLOPT_USERAGENT, "bfslab");
  set(curl, CURLOPT_ERRORBUFFER, reason);
  set(curl, CURLOPT_NOSIGNAL, 1L);
  set(curl, CURLOPT_FAILONERROR, 1L);
  set(curl, CURLOPT_FOLLOWLOCATION, 1L);
  set(curl, CURLOPT_MAXREDIRS, 5L);
  set(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  set(curl, CURLOPT_REDIR_PROTOCOLS_STR, secure ? "https" : "http,https");
  set(curl, CURLOPT_SSL_VERIFYPEER, 1L);
  set(curl, CURLOPT_SSL_VERIFYHOST, 2L);
  // As in OpenSSL and the curl program: a mirror within an organisation may use that organisation's
  // authority.
  if (const char* authorities = std::getenv("SSL_CERT_FILE"); authorities != nullptr) {
    set(curl, CURLOPT_CAINFO, authorities);
  }
  set(curl, CURLOPT_CONNECTTIMEOUT_MS, std::max(1L, std::lround(request.limits.connect_s * 1000)));
  set(curl, CURLOPT_LOW_SPEED_LIMIT, kSlowest_bytes_s);
  set(curl, CURLOPT_LOW_SPEED_TIME, std::max(1L, std::lround(request.limits.stall_s)));
  set(curl, CURLOPT_HEADERFUNCTION, &on_header);
  set(curl, CURLOPT_HEADERDATA, static_cast<void*>(&transfer));
  set(curl, CURLOPT_WRITEFUNCTION, &on_body);
  set(curl, CURLOPT_WRITEDATA, static_cast<void*>(&transfer));
  set(curl, CURLOPT_XFERINFOFUNCTION, &on_progress);
  set(curl, CURLOPT_XFERINFODATA, static_cast<void*>(&transfer));
  set(curl, CURLOPT_NOPROGRESS, 0L);
}

}  // namespace

bool http_available() { return true; }

HttpResult http_download(const HttpRequest& request, PartFile& part) {
  static const CURLcode initialised = curl_global_init(CURL_GLOBAL_DEFAULT);
  const std::unique_ptr<CURL, void (*)(CURL*)> curl(
      initialised == CURLE_OK ? curl_easy_init() : nullptr, &curl_easy_cleanup);
  if (!curl) throw std::runtime_error("libcurl cannot be initialised");

  Transfer transfer;
  transfer.curl = curl.get();
  transfer.request = &request;
  transfer.part = &part;
  transfer.offset = transfer.written = part.size();
  transfer.before = part.origin();
  if (transfer.before.address != request.address) transfer.before = {};
  char reason[CURL_ERROR_SIZE] = "";
  set_up(transfer, reason);
  const std::string range = fmt::format("{}-", transfer.offset);
  std::unique_ptr<curl_slist, void (*)(curl_slist*)> headers(nullptr, &curl_slist_free_all);
  if (transfer.offset > 0) {
    set(curl.get(), CURLOPT_RANGE, range.c_str());
    if (!transfer.before.validator().empty()) {
      const std::string line = "If-Range: " + transfer.before.validator();
      headers.reset(curl_slist_append(nullptr, line.c_str()));
      set(curl.get(), CURLOPT_HTTPHEADER, headers.get());
    }
  }

  const CURLcode code = curl_easy_perform(curl.get());
  if (transfer.error) std::rethrow_exception(transfer.error);
  if (code == CURLE_OK && !transfer.begun) begin(transfer);  // an empty body
  if (transfer.verdict.state != HttpResult::State::complete) return transfer.verdict;
  if (code == CURLE_OK) {
    transfer.verdict.length_known = transfer.headers.length;
    transfer.verdict.begun_anew = transfer.begun_anew;
    return transfer.verdict;
  }
  if (code == CURLE_HTTP_RETURNED_ERROR) return answer_of(transfer);
  HttpResult result;
  result.begun_anew = transfer.begun_anew;
  result.state = state_of(code);
  result.reason = *reason != '\0' ? reason : curl_easy_strerror(code);
  return result;
}

}  // namespace bfslab

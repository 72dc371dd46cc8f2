#include <curl/curl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <memory>
#include <stdexcept>
#include <system_error>

#include "datasets/fetch/http.hpp"

namespace bfslab {

namespace {

constexpr long kConnectTimeout_s = 20;
constexpr long kStalled_s = 60;  // no byte for so long: given up

constexpr long kPartialContent = 206;
constexpr long kRangeNotSatisfiable = 416;

struct Transfer {
  CURL* curl = nullptr;
  int descriptor = -1;
  std::uint64_t offset = 0;   // asked for
  std::uint64_t written = 0;  // bytes in the file
  bool begun = false;
  std::exception_ptr error;  // must not pass through libcurl's C frames
  const FetchProgress* progress = nullptr;
};

void write_all(int descriptor, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t count = ::write(descriptor, data, size);
    if (count < 0) {
      if (errno == EINTR) continue;
      throw std::system_error(errno, std::generic_category(), "writing the downloaded file");
    }
    data += count;
    size -= static_cast<std::size_t>(count);
  }
}

// The first body bytes show whether the server took the range; only 206 continues the file.
void begin(Transfer& transfer) {
  long status = 0;
  curl_easy_getinfo(transfer.curl, CURLINFO_RESPONSE_CODE, &status);
  transfer.written = status == kPartialContent ? transfer.offset : 0;
  if (::ftruncate(transfer.descriptor, static_cast<off_t>(transfer.written)) != 0 ||
      ::lseek(transfer.descriptor, static_cast<off_t>(transfer.written), SEEK_SET) < 0) {
    throw std::system_error(errno, std::generic_category(), "truncating the downloaded file");
  }
  transfer.begun = true;
}

std::size_t on_body(char* data, std::size_t one, std::size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  try {
    if (!transfer.begun) begin(transfer);
    write_all(transfer.descriptor, data, one * count);
    transfer.written += one * count;
    return one * count;
  } catch (...) {
    transfer.error = std::current_exception();
    return 0;  // libcurl stops with CURLE_WRITE_ERROR
  }
}

int on_progress(void* user, curl_off_t total, curl_off_t now, curl_off_t, curl_off_t) {
  auto& transfer = *static_cast<Transfer*>(user);
  if (transfer.begun && *transfer.progress) {
    const std::uint64_t start = transfer.written - static_cast<std::uint64_t>(now);
    (*transfer.progress)(transfer.written,
                         total > 0 ? start + static_cast<std::uint64_t>(total) : 0);
  }
  return 0;
}

template <typename Value>
void set(CURL* curl, CURLoption option, Value value) {
  const CURLcode code = curl_easy_setopt(curl, option, value);
  if (code != CURLE_OK)
    throw std::runtime_error(fmt::format("libcurl: {}", curl_easy_strerror(code)));
}

}  // namespace

bool http_available() { return true; }

HttpResult http_download(const std::string& address, int descriptor, std::uint64_t offset,
                         const FetchProgress& progress) {
  static const CURLcode initialised = curl_global_init(CURL_GLOBAL_DEFAULT);
  const std::unique_ptr<CURL, void (*)(CURL*)> curl(
      initialised == CURLE_OK ? curl_easy_init() : nullptr, &curl_easy_cleanup);
  if (!curl) throw std::runtime_error("libcurl cannot be initialised");

  Transfer transfer;
  transfer.curl = curl.get();
  transfer.descriptor = descriptor;
  transfer.offset = transfer.written = offset;
  transfer.progress = &progress;
  char reason[CURL_ERROR_SIZE] = "";
  const bool secure = address.starts_with("https://");
  set(curl.get(), CURLOPT_URL, address.c_str());
  set(curl.get(), CURLOPT_USERAGENT, "bfslab");
  set(curl.get(), CURLOPT_ERRORBUFFER, reason);
  set(curl.get(), CURLOPT_NOSIGNAL, 1L);
  set(curl.get(), CURLOPT_FAILONERROR, 1L);
  set(curl.get(), CURLOPT_FOLLOWLOCATION, 1L);
  set(curl.get(), CURLOPT_MAXREDIRS, 5L);
  set(curl.get(), CURLOPT_PROTOCOLS_STR, "http,https");
  set(curl.get(), CURLOPT_REDIR_PROTOCOLS_STR, secure ? "https" : "http,https");
  set(curl.get(), CURLOPT_SSL_VERIFYPEER, 1L);
  set(curl.get(), CURLOPT_SSL_VERIFYHOST, 2L);
  set(curl.get(), CURLOPT_CONNECTTIMEOUT, kConnectTimeout_s);
  set(curl.get(), CURLOPT_LOW_SPEED_LIMIT, 1L);
  set(curl.get(), CURLOPT_LOW_SPEED_TIME, kStalled_s);
  set(curl.get(), CURLOPT_WRITEFUNCTION, &on_body);
  set(curl.get(), CURLOPT_WRITEDATA, static_cast<void*>(&transfer));
  set(curl.get(), CURLOPT_XFERINFOFUNCTION, &on_progress);
  set(curl.get(), CURLOPT_XFERINFODATA, static_cast<void*>(&transfer));
  set(curl.get(), CURLOPT_NOPROGRESS, 0L);
  const std::string range = fmt::format("{}-", offset);
  if (offset > 0) set(curl.get(), CURLOPT_RANGE, range.c_str());

  const CURLcode code = curl_easy_perform(curl.get());
  if (transfer.error) std::rethrow_exception(transfer.error);
  long status = 0;
  curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
  if (code == CURLE_OK) {
    if (!transfer.begun) begin(transfer);  // an empty body
    return {};
  }
  if (code == CURLE_HTTP_RETURNED_ERROR) {
    if (status == kRangeNotSatisfiable) return {HttpResult::State::range_refused, "416"};
    return {HttpResult::State::refused, fmt::format("the server answered {}", status)};
  }
  return {HttpResult::State::interrupted, *reason != '\0' ? reason : curl_easy_strerror(code)};
}

}  // namespace bfslab

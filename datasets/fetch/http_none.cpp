// The build without libcurl.
#include "datasets/fetch/http.hpp"
#include "datasets/graph/types.hpp"

namespace bfslab {

bool http_available() { return false; }

HttpResult http_download(const std::string& address, int /*descriptor*/, std::uint64_t /*offset*/,
                         const FetchProgress& /*progress*/) {
  throw InputError("graph fetch: this bfslab was built without libcurl, so it cannot download " +
                   address +
                   ". Install libcurl4-openssl-dev and build again, or name a folder that has the "
                   "file with --mirror DIR");
}

}  // namespace bfslab

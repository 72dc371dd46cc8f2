// SPDX-License-Identifier: Apache-2.0
// The build without libcurl.
#include "datasets/fetch/http.hpp"
#include "datasets/graph/types.hpp"

namespace bfslab {

bool http_available() { return false; }

HttpResult http_download(const HttpRequest& request, PartFile& /*part*/) {
  throw InputError("this bfslab was built without libcurl, so it cannot download " +
                   request.address +
                   ". Install libcurl4-openssl-dev and build again, or name a folder that has the "
                   "file with --mirror DIR");
}

}  // namespace bfslab

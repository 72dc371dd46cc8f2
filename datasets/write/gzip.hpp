// SPDX-License-Identifier: Apache-2.0
// A whole text as gzip.
#pragma once

#include <string>
#include <string_view>

namespace bfslab {

// As small as zlib makes it. The header has neither a time nor a name, so that the same text always
// becomes the same bytes.
std::string gzip(std::string_view text);

}  // namespace bfslab

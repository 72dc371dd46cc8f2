// SPDX-License-Identifier: Apache-2.0
// datasets/catalog.json as it was when the program was built.
#pragma once

#include <string_view>

namespace bfslab {

extern const std::string_view kCatalogText;

}  // namespace bfslab

// SPDX-License-Identifier: Apache-2.0
// SHA-256 of bytes that come in pieces, in hex digits.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;  // OpenSSL's EVP_MD_CTX

namespace bfslab {

class Sha256 {
 public:
  Sha256();  // throws std::bad_alloc
  Sha256& add(std::string_view bytes);
  // 64 hex digits of all that was added. Called once, last.
  [[nodiscard]] std::string hex();

 private:
  std::unique_ptr<evp_md_ctx_st, void (*)(evp_md_ctx_st*)> context_;
};

}  // namespace bfslab

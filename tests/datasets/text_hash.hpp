// SHA-256 of a text, for comparison with the known sums of real files.
#pragma once

#include <openssl/evp.h>

#include <array>
#include <string>

namespace bfslab::test {

inline std::string sha256_of(const std::string& text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1) {
    return "EVP_Digest failed";
  }
  std::string out;
  for (unsigned i = 0; i < size; ++i) {
    constexpr char kDigits[] = "0123456789abcdef";
    out += kDigits[digest[i] >> 4];
    out += kDigits[digest[i] & 15];
  }
  return out;
}

}  // namespace bfslab::test

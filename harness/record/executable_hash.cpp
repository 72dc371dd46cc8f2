#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <memory>
#include <stdexcept>
#include <vector>

#include "harness/record/build_info.hpp"

namespace bfslab {

std::string executable_hash() {
  const int fd = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw std::runtime_error("cannot read /proc/self/exe");
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        EVP_MD_CTX_free);
  EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr);
  std::vector<unsigned char> block(1 << 20);
  ssize_t got = 0;
  while ((got = ::read(fd, block.data(), block.size())) > 0) {
    EVP_DigestUpdate(context.get(), block.data(), static_cast<std::size_t>(got));
  }
  ::close(fd);
  if (got < 0) throw std::runtime_error("cannot read /proc/self/exe");
  unsigned char digest[EVP_MAX_MD_SIZE];
  EVP_DigestFinal_ex(context.get(), digest, nullptr);
  std::string text;
  for (int i = 0; i < 8; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

}  // namespace bfslab

// SPDX-License-Identifier: Apache-2.0
#include "tests/datasets/packed.hpp"

#include <zlib.h>

#include <stdexcept>
#ifdef BFSLAB_HAS_ZSTD
#include <zstd.h>
#endif
#ifdef BFSLAB_HAS_ARCHIVES
#include <archive.h>
#include <archive_entry.h>
#endif

namespace bfslab::tests {

std::string gzip_of(const std::string& text) {
  z_stream stream{};
  if (deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("deflateInit2");
  }
  std::string packed(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // NOLINT
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int result = deflate(&stream, Z_FINISH);
  packed.resize(packed.size() - stream.avail_out);
  deflateEnd(&stream);
  if (result != Z_STREAM_END) throw std::runtime_error("deflate");
  return packed;
}

#ifdef BFSLAB_HAS_ZSTD
bool has_zstd() { return true; }
std::string zstd_of(const std::string& text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  const std::size_t size =
      ZSTD_compress2(context, packed.data(), packed.size(), text.data(), text.size());
  ZSTD_freeCCtx(context);
  if (ZSTD_isError(size) != 0) throw std::runtime_error(ZSTD_getErrorName(size));
  packed.resize(size);
  return packed;
}
#else
bool has_zstd() { return false; }
std::string zstd_of(const std::string&) { return {}; }
#endif

#ifdef BFSLAB_HAS_ARCHIVES
namespace {

void must(int result, archive* handle) {
  if (result != ARCHIVE_OK) throw std::runtime_error(archive_error_string(handle));
}

std::string written(const std::vector<TarMember>& members, const std::string& format, bool bzip2) {
  std::size_t size = 1 << 16;
  for (const TarMember& member : members) size += member.text.size() * 2 + (1 << 14);
  std::string out(size, '\0');
  archive* handle = archive_write_new();
  must(archive_write_set_format_by_name(handle, format.c_str()), handle);
  if (bzip2) must(archive_write_add_filter_bzip2(handle), handle);
  must(archive_write_open_memory(handle, out.data(), out.size(), &size), handle);
  for (const TarMember& member : members) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, member.path.c_str());
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_filetype(entry, member.path.ends_with('/') ? AE_IFDIR : AE_IFREG);
    archive_entry_set_size(entry, static_cast<la_int64_t>(member.text.size()));
    if (!member.link.empty()) {
      archive_entry_set_filetype(entry, AE_IFLNK);
      archive_entry_set_symlink(entry, member.link.c_str());
    }
    must(archive_write_header(handle, entry), handle);
    archive_write_data(handle, member.text.data(), member.text.size());
    archive_entry_free(entry);
  }
  must(archive_write_close(handle), handle);
  archive_write_free(handle);
  out.resize(size);
  return out;
}

}  // namespace

bool has_archives() { return true; }
std::string bzip2_of(const std::string& text) { return written({{"text", text, {}}}, "raw", true); }
std::string tar_of(const std::vector<TarMember>& members, const std::string& format) {
  return written(members, format, false);
}
#else
bool has_archives() { return false; }
std::string bzip2_of(const std::string&) { return {}; }
std::string tar_of(const std::vector<TarMember>&, const std::string&) { return {}; }
#endif

}  // namespace bfslab::tests

// What a file contains, independent of its name and of the time when it was put there.
#pragma once

#include <string>

namespace bfslab {

// "5432 bytes, contents 0123456789abcdef0123456789abcdef" (the tree hash of its bytes, packed as
// they are). The hash is remembered in CACHE/stamps by the file's path, size, inode and times, so
// that an unchanged file is read only once for it. Throws InputError when the file cannot be read.
std::string content_stamp(const std::string& path, const std::string& cache_folder, int threads);

}  // namespace bfslab

// SPDX-License-Identifier: Apache-2.0
// The file into which a download is written: locked, so that one process at a time works on it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace bfslab {

// Identifies the edition whose bytes a part holds, so that a later request can ask for the rest of
// the same edition (RFC 9110 section 13.1.5, If-Range). All empty: unknown.
struct PartOrigin {
  std::string address;   // that was requested, before redirects
  std::string etag;      // strong ones only; with its quotes
  std::string modified;  // Last-Modified as the server wrote it

  [[nodiscard]] const std::string& validator() const { return etag.empty() ? modified : etag; }
};

// FILE.part of a file, open and locked, and FILE.part.origin beside it. Unless it is empty it
// survives this process, whether that ends well or not, until it is renamed or removed; the lock
// ends with the process.
class PartFile {
 public:
  // Opens or creates `target`.part and its folder; while another process has it, calls `waiting`
  // once, and `poll` (may be empty, may throw) ten times a second. Throws InputError when the
  // folder cannot be written.
  PartFile(const std::string& target, const std::function<void()>& waiting,
           const std::function<void()>& poll);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::string& target() const { return target_; }
  [[nodiscard]] std::uint64_t size() const;
  [[nodiscard]] PartOrigin origin() const;

  // Truncates the part to `size` bytes, at most its present size. Later bytes are appended.
  void cut(std::uint64_t size);
  // Both throw std::system_error; on a full disk the existing bytes remain, for the next call.
  void append(const char* data, std::size_t size);
  void set_origin(const PartOrigin& origin);

  void discard();  // removes it
  void commit();   // writes to disk and renames to the target, in one step
  void set_aside(const std::string& new_path);  // renamed to something else

 private:
  [[nodiscard]] std::string origin_path() const { return path_ + ".origin"; }
  void rename_to(const std::string& new_path);

  std::string target_;
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace bfslab

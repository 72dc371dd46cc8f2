// The file that a download grows in: locked, so that one process at a time works on it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace bfslab {

// FILE.part of a file, open and locked. Unless it is empty it survives this process, whether that
// ends well or not, until it is renamed or removed; the lock ends with the process.
class PartFile {
 public:
  // Opens or creates `target`.part and its folder; while another process has it, calls `waiting`
  // once and waits. Throws InputError when the folder cannot be written.
  PartFile(const std::string& target, const std::function<void()>& waiting);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::uint64_t size() const;
  void clear();    // to zero bytes
  void discard();  // removes it
  void commit();   // to disk, and renamed to the target, as one step
 private:
  std::string target_;
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace bfslab

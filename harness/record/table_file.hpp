// SPDX-License-Identifier: Apache-2.0
// TableFile: a CSV file that grows by whole sealed rows and survives a kill at any moment.
#pragma once

#include <sys/types.h>

#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/record/seal.hpp"

namespace bfslab {

// Thrown when results cannot be written (a full disk, a removed or replaced folder). Existing rows
// stay complete.
class StorageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Writes `text` beside `path` under a temporary name and renames it there, so that a reader sees
// the old file or the new one. A link under the temporary name is not followed. Throws
// StorageError, and InputError if `path` is something else than a file.
void write_file_atomically(const std::string& path, const std::string& text);

// Returns the whole file; empty if there is none. Throws StorageError when it cannot be read, and
// InputError for a pipe, a device or a folder, without waiting for it.
std::string read_file(const std::string& path);

// Opens a file of results with `flags` (O_CREAT and others), without waiting for the other end of a
// pipe. Started programs do not inherit it. Returns -1 if there is no such file. Throws InputError
// for anything but a regular file and for a link that `flags` do not follow, StorageError for other
// faults. Messages name what was tried, `what`: "read", "write".
int open_regular(const char* what, const std::string& path, int flags);

// Writes the names of the files in a folder to the disk. Throws StorageError.
void sync_folder(const std::string& path);

class TableFile {
 public:
  // Opens for appending; writes the header, with the column `seal`, when the file is new or empty.
  // `begun` is begun_at() of the folder. Throws StorageError, and InputError where a link, a pipe
  // or a device is in its place, or a table without seals.
  TableFile(std::string path, const std::vector<std::string>& columns, const std::string& begun);
  TableFile(TableFile&& other) noexcept;
  TableFile(const TableFile&) = delete;
  TableFile& operator=(const TableFile&) = delete;
  TableFile& operator=(TableFile&&) = delete;
  ~TableFile();

  // Appends rows, as csv_row() writes them, with their seals in one write(). If only a part fits on
  // the disk, the part is removed again and StorageError is thrown; also when the file is no longer
  // at its path, or something else has written to it or truncated it.
  void append(std::span<const std::string> rows);
  void append(const std::string& row) { append(std::span(&row, 1)); }
  // Throws StorageError if the path no longer leads to this file.
  void require_present() const;
  // Writes appended rows to the disk, so that a power cut does not lose them. Throws StorageError.
  void sync();

 private:
  void open(const std::vector<std::string>& columns, const std::string& begun);
  void write(const std::string& text);

  std::string path_;
  int fd_ = -1;
  std::optional<Sealer> sealer_;
  off_t size_ = 0;         // size of the file as this object left it
  bool appended_ = false;  // since the last sync()
};

}  // namespace bfslab

// TableFile: a CSV file that grows by whole rows and survives a kill at any moment.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace bfslab {

// Results cannot be written (a full disk, a removed folder): existing rows stay complete.
class StorageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Writes `text` beside `path` under a temporary name and renames it there, so that a reader sees
// the old file or the new one. Throws StorageError.
void write_file_atomically(const std::string& path, const std::string& text);

// The whole file; empty if there is none. Throws StorageError when it cannot be read.
std::string read_file(const std::string& path);

class TableFile {
 public:
  // Opens for appending; writes the header when the file is new or empty. Throws StorageError.
  TableFile(std::string path, const std::vector<std::string>& columns);
  TableFile(TableFile&& other) noexcept;
  TableFile(const TableFile&) = delete;
  TableFile& operator=(const TableFile&) = delete;
  TableFile& operator=(TableFile&&) = delete;
  ~TableFile();

  // Appends text made of whole rows in one write(). If only a part fits on the disk, the part
  // is removed again and StorageError is thrown.
  void append(const std::string& rows);

 private:
  std::string path_;
  int fd_ = -1;
};

}  // namespace bfslab

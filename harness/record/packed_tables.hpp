// SPDX-License-Identifier: Apache-2.0
// Files of the tables of a folder of results. A table has one of two forms: NAME.csv, to which a
// run appends, or NAME.csv.gz, which `bfslab pack` makes of it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace bfslab {

// Returns whether the folder has the table, in any form.
bool has_table(const std::string& folder, const std::string& name);

// Returns whether the folder has a table in both forms, as an interrupted `bfslab pack` leaves it.
bool has_both_forms(const std::string& folder);

// Returns the file of the table; FOLDER/NAME.csv if there is none. Throws InputError if both forms
// exist; the message says which may be deleted.
std::string table_path(const std::string& folder, const std::string& name);

// Returns the unpacked text of a table's file; empty if there is no such file. Throws as
// read_file() does, and InputError for a packed file that is cut off or damaged, or whose bytes are
// not a table, before they fill the memory.
std::string read_table(const std::string& path);

struct Packed {
  std::size_t tables = 0;  // number of tables that have changed their form
  std::uint64_t before = 0;
  std::uint64_t after = 0;  // bytes of their files
};

// Brings the tables of a folder that grow with its trials into one form; a table that packing would
// not make smaller stays as it is. The caller holds the folder's lock. A file goes only when the
// one that replaces it is on the disk and was read back with the same rows. So a process that is
// killed here loses nothing, and the same call continues. Throws InputError as table_path() and
// read_table() do, StorageError where a file cannot be written.
Packed pack_tables(const std::string& folder);
Packed unpack_tables(const std::string& folder);

// Says in environment.json that these tables ("levels", "measures") are left out, and removes them
// in either form. Returns how many there were, and the bytes of their files in `before`. The caller
// holds the folder's lock. Throws StorageError where a file cannot be written or removed.
Packed leave_out_tables(const std::string& folder, std::span<const std::string> tables);

}  // namespace bfslab

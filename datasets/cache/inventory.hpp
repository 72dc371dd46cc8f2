// SPDX-License-Identifier: Apache-2.0
// Lists what the cache folder holds, and removes single entries of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace bfslab {

struct CacheEntry {
  enum class Kind {
    built,     // a graph in CACHE/csr
    external,  // a graph in CACHE/external, in a format that an external program reads
    leftover,  // an unfinished file of a writer that was killed, at least an hour old
  };
  Kind kind = Kind::built;
  std::string name;                // the graph's canonical name; the file's where that is unknown
  std::vector<std::string> files;  // paths
  std::uint64_t bytes = 0;
  // When bfslab last wrote the files or used them.
  std::chrono::system_clock::time_point last_used;
  std::uint64_t vertices = 0;  // of a built graph, as are the edges; 0 if its file is damaged
  std::uint64_t edges = 0;     // directed entries
  std::string damage;          // what is wrong with a built graph's file
};

// Returns the entries that bfslab has made in CACHE/csr and CACHE/external, by name. Other files,
// links and folders there are left out. A folder that does not exist has no entries.
std::vector<CacheEntry> cache_entries(const std::string& cache_folder);

// Returns "built", "external" or "leftover".
const char* to_text(CacheEntry::Kind kind);

// Removes the files of an entry. Throws InputError with the path and the reason if one stays.
void remove_entry(const CacheEntry& entry);

// Records that a file of the cache is used now, as its time of modification: access times depend on
// how the file system is mounted, and other programs change them. A file that belongs to another
// user keeps its time.
void note_use(const std::string& path);

}  // namespace bfslab

// SPDX-License-Identifier: Apache-2.0
// The cache folder: graphs in binary form by canonical name.
#pragma once

#include <functional>
#include <string>

#include "datasets/graph/csr_graph.hpp"

namespace bfslab {

struct CacheOptions {
  std::string cache_folder;  // empty: no cache
  int threads = 0;           // 0: all processors
  // Copy a cached graph from the page cache into huge pages, where traversals run faster; without
  // it the cache file is used where it is mapped.
  bool huge_pages = true;
  std::function<void(const std::string&)> notice;  // a damaged cache, a rebuilt file, ...
};

// Where `<cache folder>/csr` holds the graph of this canonical name.
std::string cache_path(const std::string& cache_folder, const std::string& canonical);

// The graph of that name and source from the cache, else from `build`, which is then cached. A
// file that is damaged, truncated, of another version or made from another source is rebuilt with a
// notice; a cache that cannot be written also leads to a notice, and to nothing else.
CsrGraph cached(const std::string& canonical, const std::string& source,
                const CacheOptions& options, const std::function<CsrGraph()>& build);

}  // namespace bfslab

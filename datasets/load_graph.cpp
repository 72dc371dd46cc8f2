// SPDX-License-Identifier: Apache-2.0
#include "datasets/load_graph.hpp"

#include <fmt/format.h>

#include <utility>

#include "datasets/cache/content_stamp.hpp"
#include "datasets/catalog/catalog.hpp"
#include "datasets/catalog/published.hpp"
#include "datasets/generate/generator.hpp"
#include "datasets/name/locate.hpp"
#include "datasets/read/reader.hpp"

namespace bfslab {

namespace {

// A generator's version, to be raised whenever the same parameters mean a different graph.
constexpr const char* kGeneratorVersion = "generator version 1";
// The readers' version, to be raised whenever the same file means a different graph.
constexpr const char* kReaderVersion = "reader version 2";

const CatalogEntry* entry_of(const GraphName& name) {
  return name.path.empty() ? nullptr : catalog().find_graph(name.kind + ':' + name.path);
}

// Identifies what the graph is made from, independent of the file's place: two data folders that
// hold the same file share a cached graph.
std::string source_of(const GraphName& name, const LocatedFile& file, const LoadOptions& options) {
  const Detected detected = format_of(file);
  std::string source = fmt::format("{}, format {}, {}", kReaderVersion, detected.format->name,
                                   content_stamp(file.path, options.threads));
  if (detected.format->companions != nullptr) {
    for (const std::string& other : detected.format->companions(file.path)) {
      source += fmt::format(", beside it {}", content_stamp(other, options.threads));
    }
  }
  const CatalogEntry* entry = entry_of(name);
  const std::string published = entry != nullptr ? published_counts(*entry) : std::string();
  if (!published.empty()) source += ", published " + published;  // warnings depend on it
  return source;
}

EdgeList read_list(const GraphName& name, const LocatedFile& file, int threads) {
  const Detected detected = format_of(file);
  EdgeList list = detected.format->read(file.path, threads, file.member);
  if (!detected.why.empty()) list.provenance.emplace_back("format_found", detected.why);
  if (const CatalogEntry* entry = entry_of(name)) {
    add_catalog_facts(*entry, list);
    // They have no direction, which a plain list of them cannot say.
    if (entry->edges_are == "simple edges") list.undirected = true;
  }
  if (!file.address.empty()) {
    list.provenance.insert(list.provenance.begin(), {"address", file.address});
  }
  list.provenance.insert(list.provenance.begin(), {"file", file.path});
  return list;
}

}  // namespace

std::string graph_stamp(const GraphName& name, const LoadOptions& options) {
  if (find_generator(name.kind) != nullptr) return kGeneratorVersion;
  return source_of(name, find_file(name, options.data_folders), options);
}

CsrGraph load_graph(const GraphName& name, const LoadOptions& options) {
  BuildOptions build = name.build;
  build.threads = options.threads;
  const std::string base = name.without_build();  // build_csr appends the build options again

  const Generator* generator = find_generator(name.kind);
  LocatedFile file;
  std::string source;
  if (generator != nullptr) {
    source = kGeneratorVersion;
  } else {
    file = find_file(name, options.data_folders);
    if (!options.cache_folder.empty()) source = source_of(name, file, options);
  }

  CsrGraph graph = cached(name.canonical, source, options, [&] {
    if (generator != nullptr) {
      return build_csr(*generator->make(name), build, base, {}, options.build_elsewhere);
    }
    return build_csr(read_list(name, file, options.threads), build, base);
  });
  if (options.transpose && !graph.symmetric()) {
    const CsrGraph transpose = cached(name.canonical + ",transpose", source, options, [&] {
      return CsrGraph(*build_transpose(graph, options.threads));
    });
    graph.set_transpose(std::make_shared<const CsrGraph>(transpose));
  }
  return graph;
}

}  // namespace bfslab

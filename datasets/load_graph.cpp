#include <utility>

#include "datasets/build/build.hpp"
#include "datasets/cache/cache.hpp"
#include "datasets/generate/generator.hpp"
#include "datasets/graph_name.hpp"
#include "datasets/read/reader.hpp"

namespace bfslab {

namespace {

// A generator's version, to be raised whenever the same parameters come to mean another graph.
constexpr const char* kGeneratorVersion = "generator version 1";

}  // namespace

std::string graph_stamp(const GraphName& name, const LoadOptions& options) {
  if (find_generator(name.kind) != nullptr) return kGeneratorVersion;
  return file_stamp(find_file(name, options.data_folders));
}

CsrGraph load_graph(const GraphName& name, const LoadOptions& options) {
  BuildOptions build = name.build;
  build.threads = options.threads;
  // build_csr appends the build options to the name again.
  const std::string base =
      name.canonical.substr(0, name.canonical.size() - build.canonical().size());
  const std::string trimmed = base.ends_with(',') ? base.substr(0, base.size() - 1) : base;

  const Generator* generator = find_generator(name.kind);
  const std::string path = generator != nullptr ? "" : find_file(name, options.data_folders);
  const std::string source = generator != nullptr ? kGeneratorVersion : file_stamp(path);

  CsrGraph graph = cached(name.canonical, source, options, [&] {
    if (generator != nullptr) return build_csr(*generator->make(name), build, trimmed);
    EdgeList list = find_format(name).read(path, options.threads);
    list.provenance.insert(list.provenance.begin(), {"file", path});
    return build_csr(std::move(list), build, trimmed);
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

#include <utility>

#include "datasets/build/build.hpp"
#include "datasets/generate/generator.hpp"
#include "datasets/graph_name.hpp"
#include "datasets/read/reader.hpp"

namespace bfslab {

CsrGraph load_graph(const GraphName& name, const LoadOptions& options) {
  BuildOptions build = name.build;
  build.threads = options.threads;
  const std::string base = name.canonical.substr(0, name.canonical.rfind("symmetrize=") - 1);
  CsrGraph graph = [&] {
    if (const Generator* generator = find_generator(name.kind)) {
      return build_csr(*generator->make(name), build, base);
    }
    const std::string path = find_file(name, options.data_folders);
    return build_csr(find_format(name).read(path, options.threads), build, base);
  }();
  if (options.transpose && !graph.symmetric()) {
    graph.set_transpose(build_transpose(graph, options.threads));
  }
  return graph;
}

}  // namespace bfslab

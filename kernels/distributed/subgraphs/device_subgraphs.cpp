#include "kernels/distributed/subgraphs/device_subgraphs.hpp"

#include "kernels/cuda/device/upload.hpp"

namespace bfslab::distributed {

namespace {

template <typename Column>
DeviceSubgraph<Column> uploaded(const Subgraph<Column>& host, std::size_t rows,
                                const cuda::Stream& stream) {
  DeviceSubgraph<Column> made;
  if (host.offsets.narrow() != nullptr) {
    made.narrow = cuda::DeviceBuffer<std::uint32_t>(rows + 1);
    cuda::upload(made.narrow.data(), host.offsets.narrow(), made.narrow.bytes(), stream);
  } else {
    made.wide = cuda::DeviceBuffer<std::uint64_t>(rows + 1);
    cuda::upload(made.wide.data(), host.offsets.wide(), made.wide.bytes(), stream);
  }
  made.columns = cuda::DeviceBuffer<Column>(host.columns.size());
  cuda::upload(made.columns.data(), host.columns.data(), made.columns.bytes(), stream);
  return made;
}

}  // namespace

DeviceSubgraphs upload(const Subgraphs& graph, const cuda::Stream& stream) {
  DeviceSubgraphs made;
  static_cast<Separation&>(made) = graph;
  made.nn = uploaded(graph.nn, graph.owned, stream);
  made.nd = uploaded(graph.nd, graph.owned, stream);
  made.dn = uploaded(graph.dn, graph.delegate_count(), stream);
  made.dd = uploaded(graph.dd, graph.delegate_count(), stream);
  return made;
}

}  // namespace bfslab::distributed

#include "datasets/fetch/distributors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "datasets/graph/types.hpp"

namespace bfslab {

namespace {

struct Distributor {
  std::string_view kind;  // the graph name's prefix
  std::string_view host;
  std::string_view folder;
  std::string_view ending;
};

// SNAP: https://snap.stanford.edu/data/index.html, edge lists as gzipped text.
constexpr std::array kDistributors{
    Distributor{"snap", "snap.stanford.edu", "data/", ".txt.gz"},
};

// A name becomes part of an address and of a path: nothing that leaves its folder.
bool is_plain(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.' || c == '+';
  };
  return !name.empty() && name.front() != '.' && std::all_of(name.begin(), name.end(), allowed);
}

}  // namespace

RemoteFile locate_graph(std::string_view name) {
  const auto colon = name.find(':');
  const std::string_view kind = colon == name.npos ? "snap" : name.substr(0, colon);
  const std::string_view base = colon == name.npos ? name : name.substr(colon + 1);
  const auto* distributor = std::find_if(kDistributors.begin(), kDistributors.end(),
                                         [&](const auto& row) { return row.kind == kind; });
  if (distributor == kDistributors.end()) {
    throw InputError(fmt::format(
        "graph fetch: nobody distributes `{}`: found the kind \"{}\", expected snap:NAME", name,
        kind));
  }
  if (!is_plain(base)) {
    throw InputError(fmt::format(
        "graph fetch: `{}` is no name of a distributed graph: found \"{}\", expected letters, "
        "digits and - _ . + (build options such as relabel belong where the graph is used)",
        name, base));
  }
  return {std::string(base), std::string(distributor->host),
          fmt::format("{}{}{}", distributor->folder, base, distributor->ending)};
}

}  // namespace bfslab

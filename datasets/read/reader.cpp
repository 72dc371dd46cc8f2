#include "datasets/read/reader.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "datasets/read/csr.hpp"
#include "datasets/read/snap.hpp"

namespace bfslab {

const std::vector<GraphFormat>& graph_formats() {
  static const std::vector<GraphFormat> table = {
      {"snap",
       {".txt", ".txt.gz"},
       "one edge a line, two ids parted by blanks or tabs; # starts a comment",
       read_snap},
      {"csr", {".csr"}, "the binary form that `graph convert` writes", read_csr},
  };
  return table;
}

const GraphFormat& find_format(const GraphName& name) {
  const auto& formats = graph_formats();
  const std::string wanted = name.kind == "file" ? name.value("format") : name.kind;
  std::string endings;
  for (const GraphFormat& format : formats) {
    if (format.name == wanted) return format;
    for (const std::string& ending : format.endings) {
      if (wanted == "auto" && name.path.ends_with(ending)) return format;
      endings += (endings.empty() ? "" : ", ") + ending;
    }
  }
  throw InputError(fmt::format(
      "graph \"file:{}\": the ending does not tell the format (known: {}); add ,format=NAME",
      name.path, endings));
}

std::string find_file(const GraphName& name, const std::vector<std::string>& folders) {
  namespace fs = std::filesystem;
  if (name.kind == "file") {
    if (!fs::is_regular_file(name.path)) {
      throw InputError(fmt::format("{}: no such file", name.path));
    }
    return name.path;
  }
  for (const std::string& folder : folders) {
    for (const char* inner : {"", "snap.stanford.edu/data"}) {
      for (const char* ending : {".txt", ".txt.gz"}) {
        const fs::path path = fs::path(folder) / inner / (name.path + ending);
        std::error_code ignored;
        if (fs::is_regular_file(path, ignored)) return path.string();
      }
    }
  }
  throw InputError(fmt::format(
      "graph \"snap:{0}\": no {0}.txt or {0}.txt.gz in {1}; fetch it with `bfslab graph fetch "
      "snap:{0}`, or name its folder with --data DIR or BFSLAB_DATA",
      name.path,
      folders.empty() ? "any data folder (none was named)"
                      : fmt::format("{}", fmt::join(folders, ", "))));
}

}  // namespace bfslab

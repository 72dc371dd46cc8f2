#include "datasets/fetch/distributors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "datasets/graph/types.hpp"

namespace bfslab {

namespace {

struct Distributor {
  std::string_view kind;  // the graph name's prefix
  std::string_view spelling;
  std::string_view folder;  // the address up to the name
  std::string_view ending;
  std::string_view member;  // {} is the name's last part
};

constexpr std::array kDistributors{
    // https://snap.stanford.edu/data/index.html: edge lists as gzipped text.
    Distributor{"snap", "snap:NAME", "https://snap.stanford.edu/data/", ".txt.gz", ""},
    // http://konect.cc/networks: one archive per network, with its edges in out.NAME.
    Distributor{"konect", "konect:NAME", "http://konect.cc/files/download.tsv.", ".tar.bz2",
                "out.*"},
    // https://sparse.tamu.edu/about: NAME/NAME.mtx, sometimes with right-hand sides beside it.
    Distributor{"suitesparse", "suitesparse:GROUP/NAME", "https://sparse.tamu.edu/MM/", ".tar.gz",
                "{}.mtx"},
    // The 9th DIMACS challenge, http://www.diag.uniroma1.it/challenge9/download.shtml.
    Distributor{"dimacs9", "dimacs9:NAME", "http://www.diag.uniroma1.it/challenge9/data/", ".gr.gz",
                ""},
};

const Distributor* find_distributor(std::string_view kind) {
  const auto* found = std::find_if(kDistributors.begin(), kDistributors.end(),
                                   [&](const Distributor& row) { return row.kind == kind; });
  return found == kDistributors.end() ? nullptr : found;
}

// A name becomes part of an address and of a path: nothing that leaves its folder.
bool is_plain(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.' || c == '+' || c == '@';
  };
  return !name.empty() && name.front() != '.' && std::all_of(name.begin(), name.end(), allowed);
}

// The challenge keeps its files by family: data/rome/rome99.gr,
// data/USA-road-d/USA-road-d.NY.gr.gz.
std::string challenge9_address(std::string_view folder, std::string_view name,
                               std::string_view ending) {
  if (name == "rome99") return fmt::format("{}rome/rome99.gr", folder);
  const std::size_t dot = name.find('.');
  if (!name.starts_with("USA-road-") || dot == name.npos) {
    throw InputError(
        fmt::format("graph \"dimacs9:{}\": the 9th DIMACS challenge has rome99 and USA-road-d.NAME "
                    "or USA-road-t.NAME, as in dimacs9:USA-road-d.NY",
                    name));
  }
  return fmt::format("{}{}/{}{}", folder, name.substr(0, dot), name, ending);
}

}  // namespace

std::string_view distributor_spelling(std::string_view kind) {
  const Distributor* distributor = find_distributor(kind);
  return distributor == nullptr ? std::string_view() : distributor->spelling;
}

std::vector<std::string_view> distributor_spellings() {
  std::vector<std::string_view> spellings;
  for (const Distributor& distributor : kDistributors) spellings.push_back(distributor.spelling);
  return spellings;
}

DistributedFile locate_distributed(std::string_view kind, std::string_view path) {
  const Distributor* distributor = find_distributor(kind);
  if (distributor == nullptr) {
    throw InputError(fmt::format(
        "graph \"{}:{}\": no distributor is known for graphs of kind \"{}\"; expected {}", kind,
        path, kind, fmt::join(distributor_spellings(), ", ")));
  }
  const bool grouped = distributor->spelling.find('/') != std::string_view::npos;
  const std::size_t slash = path.find('/');
  const std::string_view name = grouped && slash != path.npos ? path.substr(slash + 1) : path;
  const bool sound =
      is_plain(name) && (!grouped || (slash != path.npos && is_plain(path.substr(0, slash))));
  if (!sound) {
    throw InputError(
        fmt::format("graph \"{}:{}\": found \"{}\", expected {} of letters, digits and - _ . + @",
                    kind, path, path, distributor->spelling));
  }
  DistributedFile file;
  file.address = distributor->kind == "dimacs9"
                     ? challenge9_address(distributor->folder, name, distributor->ending)
                     : fmt::format("{}{}{}", distributor->folder, path, distributor->ending);
  file.member = distributor->member;
  if (const std::size_t hole = file.member.find("{}"); hole != std::string::npos) {
    file.member.replace(hole, 2, name);
  }
  return file;
}

std::string below_mirror(std::string_view address) {
  const auto refuse = [&](std::string_view why) {
    return InputError(
        fmt::format("address \"{}\": {}; expected http(s)://HOST/PATH", address, why));
  };
  std::string_view rest;
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (address.starts_with(scheme)) rest = address.substr(scheme.size());
  }
  if (rest.empty()) throw refuse("found another scheme, or no host");
  std::string place(rest.substr(0, rest.find('#')));
  std::size_t begin = 0;
  std::size_t parts = 0;
  while (begin <= place.size()) {
    const std::size_t end = std::min(place.find('/', begin), place.size());
    const std::string_view part = std::string_view(place).substr(begin, end - begin);
    if (part.empty() || part == "." || part == "..")
      throw refuse("a part of its path is empty, . or ..");
    if (part.find('\\') != part.npos || part.find('\0') != part.npos)
      throw refuse("its path holds a \\");
    ++parts;
    begin = end + 1;
  }
  if (parts < 2) throw refuse("it has no path");
  return place;
}

}  // namespace bfslab

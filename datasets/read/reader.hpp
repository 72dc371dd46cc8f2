// The table of file formats: one file each. A reader turns bytes into an EdgeList or throws
// InputError with FILE:LINE and the reason; it never returns a graph smaller than the file.
#pragma once

#include <string>
#include <vector>

#include "datasets/graph/edge_list.hpp"
#include "datasets/graph_name.hpp"

namespace bfslab {

struct GraphFormat {
  std::string name;                  // as in format=NAME
  std::vector<std::string> endings;  // ".txt", ".txt.gz"
  std::string doc;
  EdgeList (*read)(const std::string& path, int threads);
};

const std::vector<GraphFormat>& graph_formats();

// The format of a name that stands for a file: by kind, by format=, else by the path's ending.
// Throws InputError when the ending says nothing.
const GraphFormat& find_format(const GraphName& name);

// Where the file of a `snap:` or `file:` name lies. A named file NAME is looked for in each folder
// as NAME.txt, NAME.txt.gz and snap.stanford.edu/data/NAME.txt[.gz], in this order; throws
// InputError listing the folders when it is in none.
std::string find_file(const GraphName& name, const std::vector<std::string>& folders);

}  // namespace bfslab

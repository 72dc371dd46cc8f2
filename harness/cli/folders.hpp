// SPDX-License-Identifier: Apache-2.0
// The folders of graphs, their cache, results and specs: the same for every command.
#pragma once

#include <string>
#include <vector>

namespace bfslab {

// Returns the environment variable, or an empty text. Throws InputError if it is not UTF-8.
std::string environment_text(const char* name);

// Returns `given` (--cache) if it is not empty, else BFSLAB_CACHE, else $XDG_CACHE_HOME/bfslab,
// else
// ~/.cache/bfslab. Throws InputError when none of these is set.
std::string cache_folder(const std::string& given);

// Returns the folders of --data in order, then those of BFSLAB_DATA (colon-separated), then
// CACHE/data.
std::vector<std::string> data_folders(const std::vector<std::string>& given,
                                      const std::string& cache);

// Returns `given` (--results) if it is not empty, else BFSLAB_RESULTS, else results/<host name>.
std::string results_folder(const std::string& given);

// Returns the folder of the installed program's files: PREFIX/share/bfslab; empty if it is not
// installed.
std::string installed_share();

// Returns the folder of specs: `experiments` if it is here, else installed_share()/experiments.
std::string specs_folder();

}  // namespace bfslab

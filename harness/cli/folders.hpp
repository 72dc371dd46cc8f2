// SPDX-License-Identifier: Apache-2.0
// Where graphs are looked for and cached: the same for every command.
#pragma once

#include <string>
#include <vector>

namespace bfslab {

// The environment variable, or an empty text. Throws InputError where it is not UTF-8.
std::string environment_text(const char* name);

// `given` (--cache) if it is not empty, else BFSLAB_CACHE, else $XDG_CACHE_HOME/bfslab, else
// ~/.cache/bfslab. Throws InputError when none of these is set.
std::string cache_folder(const std::string& given);

// The folders of --data in order, then those of BFSLAB_DATA (colon-separated), then CACHE/data.
std::vector<std::string> data_folders(const std::vector<std::string>& given,
                                      const std::string& cache);

// Where `make install` put what belongs to this program: PREFIX/share/bfslab; empty where the
// program is not installed.
std::string installed_share();

// Where the specs are: `experiments` if that is here, else installed_share()/experiments.
std::string specs_folder();

}  // namespace bfslab

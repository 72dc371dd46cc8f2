// SPDX-License-Identifier: Apache-2.0
// Files of one generated graph in every format and packing, made in a temporary folder that is
// removed with the program. Making them is never timed.
#pragma once

#include <string>

namespace bfslab::bench {

// A Kronecker graph of 2^scale vertices with its 16 * 2^scale tuples in order: as `format` says
// ("snap", "konect", "matrix-market", "metis", "dimacs9", "gapbs", "arcs", "csr") and packed as
// `packing` says ("", ".gz", ".bz2", ".zst"; text only). The file's path; the same call gives the
// same file. Empty if this build cannot pack in that way.
std::string graph_file(const std::string& format, const std::string& packing, int scale);

// The plain text of a SNAP file among the real graphs (BFSLAB_TEST_DATA),
// empty if it is not there.
std::string real_snap_file(const std::string& name);

// A folder of the program's own.
const std::string& scratch_folder();

}  // namespace bfslab::bench

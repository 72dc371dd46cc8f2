// SPDX-License-Identifier: Apache-2.0
// The engine of an external program: every traversal is one process of the program, which reads the
// graph from a file, and reports its time and, if it can, its levels.
//
// The process is started without a shell, in a new folder that is removed afterwards, with nothing
// on its standard input. Its output is limited, and no process that it starts outlives the
// traversal. load() writes the graph for it, once for each graph and format, into
// `<cache>/external`. The ids in the file are those of the loaded graph, from 0 (in .mtx from 1),
// and every adjacency entry is listed, both directions of an undirected edge.
#pragma once

#include <memory>

#include "harness/external/external_program.hpp"

namespace bfslab {

// Throws InputError if there is no such program, and so does its load(). Its traverse() throws
// std::runtime_error if the process fails, does not report its time, or writes too much. Its
// answer() throws MalformedAnswer if the levels could not be parsed.
std::unique_ptr<Engine> make_external(std::shared_ptr<const ExternalProgram> program,
                                      const EngineSettings& settings);

}  // namespace bfslab

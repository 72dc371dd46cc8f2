// SPDX-License-Identifier: Apache-2.0
// An engine that is a program of somebody else's: every traversal is one process of it, which reads
// the graph from a file, and tells its time and, where it can, its levels.
//
// The process is started without a shell, in a folder of its own that is removed afterwards, with
// nothing on its standard input. What it may write is limited, and nothing that it starts outlives
// the traversal. load() writes the graph for it, once for each graph and format, into
// `<cache>/external`. The ids in the file are those of the loaded graph, from 0 (in .mtx from 1),
// and every adjacency entry is listed, both directions of an undirected edge.
#pragma once

#include <memory>

#include "harness/external/external_program.hpp"

namespace bfslab {

// Throws InputError where there is no such program, and so does its load(). Its traverse() throws
// std::runtime_error where the process fails, does not tell its time, or writes too much; levels
// that are none are told by answer(), which throws MalformedAnswer.
std::unique_ptr<Engine> make_external(std::shared_ptr<const ExternalProgram> program,
                                      const EngineSettings& settings);

}  // namespace bfslab

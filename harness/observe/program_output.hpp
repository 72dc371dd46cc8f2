// SPDX-License-Identifier: Apache-2.0
// What another program prints.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace bfslab {

// Runs command[0], found in PATH, with the other words as its arguments, no shell, no input and its
// errors dropped. Its output if it ends well within the limit, of up to 1 MiB; empty otherwise: a
// program that hangs (nvidia-smi does, with a broken driver) is killed. Throws nothing.
std::string program_output(const std::vector<std::string>& command,
                           std::chrono::milliseconds limit);

}  // namespace bfslab

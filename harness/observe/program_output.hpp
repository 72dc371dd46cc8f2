// SPDX-License-Identifier: Apache-2.0
// Runs another program for its output.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace bfslab {

// Runs command[0], found in PATH, with the other words as its arguments, without a shell or input,
// and drops its errors. Returns its output, up to 1 MiB, if it ends with exit code 0 within the
// limit; empty otherwise. A program that hangs, as nvidia-smi does with a broken driver, is killed.
// Throws nothing.
std::string program_output(const std::vector<std::string>& command,
                           std::chrono::milliseconds limit);

}  // namespace bfslab

// SPDX-License-Identifier: Apache-2.0
// WorkerLog: the file that a worker, its ranks and their launcher write to, and the messages in it.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>

namespace bfslab {

class WorkerLog {
 public:
  // `file` may hold the lines of earlier workers, which text() leaves out. `launched`: a launcher's
  // messages are in it, too.
  WorkerLog(std::string file, bool launched);

  [[nodiscard]] const std::string& file() const { return file_; }
  // Returns the end of this worker's text: at most `max_bytes`.
  [[nodiscard]] std::string text(off_t max_bytes) const;
  // Returns the last lines of this worker, at most three, joined into one; empty if there are none.
  [[nodiscard]] std::string last_lines() const;
  // Appends a line that the launcher wrote to its standard output.
  void append(const std::string& line) const;

 private:
  std::string file_;
  bool launched_;
  off_t begin_ = 0;  // size of the file when the worker started
};

// Cuts a line of a launcher's output down to the message in it. Returns false if it has none. Open
// MPI's --tag-output puts its tag before a line, and also into a line that it reads in several
// pieces.
bool take_message(std::string& line);

// The rank that ended first, as Open MPI's mpirun reports it.
struct EndedRank {
  std::string text;  // "rank 1 on a: killed by signal 9 (SIGKILL)"; empty: the log names none
  int signal = 0;
};
// Finds "process rank 1 with PID 17 on node a exited on signal 9 (Killed).", or "Process name:
// [[5305,1],1]" and "Exit code: 7".
EndedRank ended_rank(const std::string& log);

// Writes all of the text; an error of the other side shows when it is read from.
void write_all(int fd, const std::string& text);

}  // namespace bfslab

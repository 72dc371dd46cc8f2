// SPDX-License-Identifier: Apache-2.0
#include "harness/external/external_engine.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "datasets/cache/content_stamp.hpp"
#include "datasets/cache/inventory.hpp"
#include "datasets/load_graph.hpp"
#include "datasets/write/program_files.hpp"
#include "datasets/write/write.hpp"
#include "harness/external/child.hpp"
#include "harness/external/parse_output.hpp"

extern char** environ;

namespace bfslab {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMib = std::uint64_t{1} << 20;
constexpr std::uint64_t kMaxText = 16 * kMib;  // on each stream, besides its levels
constexpr std::uint64_t kBytesPerLevel = 32;   // more than "4294967295\t4294967295\n" has
// A reported time may exceed the life of its process by this much, since clocks are rounded.
constexpr double kSlack = 1.01;
constexpr double kSlackMs = 1;

// A folder that its owner locks and removes. If the owner was killed, the next owner of a folder in
// the same place removes it.
class ScratchFolder {
 public:
  explicit ScratchFolder(const fs::path& parent) {
    fs::create_directories(parent);
    const int one_at_a_time = lock(parent, LOCK_EX);
    for (const fs::directory_entry& old : fs::directory_iterator(parent)) {
      const int fd = lock(old.path(), LOCK_EX | LOCK_NB);
      std::error_code ignored;
      if (fd >= 0) fs::remove_all(old.path(), ignored);
      if (fd >= 0) ::close(fd);
    }
    std::string name = (parent / "XXXXXX").string();
    const bool made = ::mkdtemp(name.data()) != nullptr;
    const int why = errno;
    path_ = name;
    if (made) lock_ = lock(path_, LOCK_EX);
    if (one_at_a_time >= 0) ::close(one_at_a_time);
    if (!made) throw std::runtime_error(fmt::format("{}: {}", parent.string(), std::strerror(why)));
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    if (lock_ >= 0) ::close(lock_);
  }

  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  // Returns -1 if another process holds it, or if it is no folder.
  static int lock(const fs::path& folder, int how) {
    const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && ::flock(fd, how) == 0) return fd;
    if (fd >= 0) ::close(fd);
    return -1;
  }

  fs::path path_;
  int lock_ = -1;
};

// The folder in which one process runs and leaves its files.
class RunFolder {
 public:
  explicit RunFolder(fs::path path) : path_(std::move(path)) { fs::create_directory(path_); }
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  ~RunFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// Returns the graph with every entry listed: a symmetric graph as a directed one, so that a reader
// gets both directions whether or not it adds the reverse edges itself.
CsrGraph by_ids(const CsrGraph& graph) {
  CsrArrays arrays;
  arrays.row_offsets = graph.row_offsets();
  arrays.columns = graph.columns();
  return {arrays, false, graph.identity(), graph.provenance()};
}

// Returns the files of the format of that ending.
std::vector<std::string> files_of(const std::string& path, const std::string& ending) {
  return is_program_form(ending) ? program_files(path) : std::vector<std::string>{path};
}

void write_for_program(const CsrGraph& graph, const std::string& path, const std::string& ending,
                       int threads) {
  if (is_program_form(ending)) return write_program_files(graph, path);
  const bool binary = ending == ".csr" || ending == ".sg";  // these formats mark symmetric graphs
  write_graph(binary ? graph : by_ids(graph), path, threads);
}

// Returns the path of `graph` in the format of that ending. Writes its files unless an earlier run
// has written the same contents.
std::string converted(const CsrGraph& graph, const std::string& ending, const fs::path& folder,
                      const LoadOptions& options) {
  std::string path = (folder / (graph.identity().content_hash + ending)).string();
  const std::string stamp_path = path + ".stamp";
  const std::vector<std::string> files = files_of(path, ending);
  const auto stamp_now = [&] {
    std::string stamps;
    for (const std::string& file : files) stamps += content_stamp(file, options.threads) + ';';
    return stamps;
  };
  std::ifstream stamp_file(stamp_path);
  std::string stamp;
  std::getline(stamp_file, stamp);
  const bool complete =
      std::ranges::all_of(files, [](const auto& file) { return fs::is_regular_file(file); });
  if (!stamp.empty() && complete && stamp_now() == stamp) {
    note_use(stamp_path);
    return path;
  }
  if (options.notice) options.notice(fmt::format("writing {} for an external program", path));
  fs::create_directories(folder);
  fs::remove(stamp_path);
  write_for_program(graph, path, ending, options.threads);
  const std::string unfinished = fmt::format("{}.{}", stamp_path, ::getpid());
  std::ofstream(unfinished) << stamp_now() << '\n';
  fs::rename(unfinished, stamp_path);
  return path;
}

// Returns for each vertex its position among the vertices that have an edge in any direction.
// A vertex without edges gets that of the next one with edges.
std::vector<vertex_t> ranks_of(const CsrGraph& graph) {
  std::vector<bool> has_edge(graph.vertex_count());
  for (vertex_t u = 0; u < graph.vertex_count(); ++u) {
    for (const vertex_t v : graph.neighbors(u)) has_edge[u] = has_edge[v] = true;
  }
  std::vector<vertex_t> ranks(graph.vertex_count());
  std::exclusive_scan(has_edge.begin(), has_edge.end(), ranks.begin(), vertex_t{0});
  return ranks;
}

// Reads a file that a program may have written. Throws MalformedAnswer if there is no regular file.
// The text of a file above `max_bytes` is empty.
std::string read_output_file(const fs::path& path, std::uint64_t max_bytes) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct stat status {};
  const bool good = fd >= 0 && ::fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
  std::string text;
  if (good && static_cast<std::uint64_t>(status.st_size) <= max_bytes) {
    text.resize(static_cast<std::size_t>(status.st_size));
    std::size_t done = 0;
    for (ssize_t got = 1; got > 0 && done < text.size(); done += static_cast<std::size_t>(got)) {
      got = std::max<ssize_t>(0, ::read(fd, text.data() + done, text.size() - done));
    }
    text.resize(done);
  }
  if (fd >= 0) ::close(fd);
  if (!good) throw MalformedAnswer("it wrote no levels to {output}");
  return text;
}

class ExternalEngine : public Engine {
 public:
  ExternalEngine(std::shared_ptr<const ExternalProgram> program, const EngineSettings& settings)
      : program_(std::move(program)), answer_(settings.answer) {
    require_program();
    std::int64_t threads = 0;
    if (settings.toggles.has("threads")) threads = settings.toggles.integer("threads");
    cpu_set_t processors;
    sched_getaffinity(0, sizeof processors, &processors);
    values_["threads"] = std::to_string(threads > 0 ? threads : CPU_COUNT(&processors));
  }

  void load(const GraphSource& source) override {
    require_program();
    const CsrGraph& graph = *source.csr;
    const fs::path room = source.load != nullptr && !source.load->cache_folder.empty()
                              ? fs::absolute(fs::path(source.load->cache_folder) / "external")
                              : fs::temp_directory_path() / fmt::format("bfslab-{}", ::getuid());
    scratch_.emplace(room / "running");
    vertices_ = graph.vertex_count();
    values_["graph"] = converted(graph, program_->graph, room,
                                 source.load != nullptr ? *source.load : LoadOptions());
    values_["vertices"] = std::to_string(vertices_);
    values_["edges"] = std::to_string(graph.edge_count());
    max_levels_ = kBytesPerLevel * vertices_ + kMib;
    if (program_->uses("source_rank")) ranks_ = ranks_of(graph);
    max_file_ = max_levels_ + kMaxText;
    for (const std::string& file : files_of(values_["graph"], program_->graph)) {
      max_file_ += 2 * fs::file_size(file);
    }
  }

  void traverse(vertex_t source, LevelSink* /*sink*/) override {
    fault_.clear();
    values_["source"] = std::to_string(source);
    values_["source+1"] = std::to_string(std::uint64_t{source} + 1);
    if (!ranks_.empty()) values_["source_rank"] = std::to_string(ranks_[source]);
    program_->ask ? ask() : run();
  }

  [[nodiscard]] AnswerView answer() const override {
    if (!fault_.empty()) throw MalformedAnswer(fault_);
    return answer_on_host(answer_, vertices_, levels_.data(), nullptr);
  }
  [[nodiscard]] MemoryUse memory() const override { return {}; }
  [[nodiscard]] std::optional<double> own_time_ms() const override { return own_time_ms_; }

 private:
  // Runs a process that searches once.
  void run() {
    const RunFolder folder(scratch_->path() / "run");
    const fs::path output = folder.path() / "output";
    values_["output"] = output.string();
    take(run_child(command(folder.path())), output);
  }

  // Asks the process that answers all searches, which is started for the first one, and again for
  // the one after a failure.
  void ask() {
    if (!asked_) {
      folder_.emplace(scratch_->path() / "run");
      values_["output"] = (folder_->path() / "output").string();
      asked_.emplace(command(folder_->path()));
    }
    const fs::path output = values_["output"];
    fs::remove(output);
    try {
      ChildAnswer answer = asked_->ask(program_->ask->fill(values_));
      take({.wall_ms = answer.wall_ms, .output = std::move(answer.line), .error = {}}, output);
    } catch (...) {
      asked_.reset();
      folder_.reset();
      throw;
    }
  }

  // Reads the time and the levels of a search.
  void take(const ChildEnd& end, const fs::path& output) {
    own_time_ms_ = end.wall_ms;
    if (const auto& format = program_->time) {
      own_time_ms_ = parse_ms(*format, format->stream == Stream::out ? end.output : end.error);
      if (*own_time_ms_ > end.wall_ms * kSlack + kSlackMs) {
        throw std::runtime_error(fmt::format(
            "{}: reported {} ms, and {} {:.3f} ms: check `unit`", program_->file, *own_time_ms_,
            program_->ask ? "it answered after" : "its process lived", end.wall_ms));
      }
    }
    try {
      if (const auto& passed = program_->passed) {
        require_passed(*passed, passed->stream == Stream::out ? end.output : end.error);
      }
      if (!program_->levels) return;
      const LevelsFormat& format = *program_->levels;
      const bool from_file = format.stream == Stream::file;
      levels_ = parse_levels(format, from_file ? read_output_file(output, max_file_) : end.output,
                             vertices_);
    } catch (const MalformedAnswer& error) {
      fault_ = error.what();
    }
  }

  void require_program() const {
    std::error_code ignored;
    const bool regular = fs::is_regular_file(program_->file, ignored);
    if (regular && ::access(program_->file.c_str(), X_OK) == 0) return;
    throw InputError(fmt::format(
        "{}: no program that can be run ({}); build it, or name another file by --set "
        "external.{}.program=FILE",
        program_->file, regular ? std::strerror(errno) : "there is no such file", program_->name));
  }

  [[nodiscard]] ChildCommand command(const fs::path& folder) const {
    ChildCommand out;
    out.words = {program_->file};
    for (const ArgumentTemplate& each : program_->arguments)
      out.words.push_back(each.fill(values_));
    const auto& changed = program_->environment;
    for (char** entry = environ; *entry != nullptr; ++entry) {
      const std::string text = *entry;
      const std::string name = text.substr(0, text.find('='));
      if (std::ranges::none_of(changed, [&](const auto& each) { return each.first == name; })) {
        out.environment.push_back(text);
      }
    }
    for (const auto& [name, value] : changed) {
      out.environment.push_back(name + '=' + value.fill(values_));
    }
    out.folder = folder.string();
    const bool on_stdout = program_->levels && program_->levels->stream == Stream::out;
    out.max_output = kMaxText + (on_stdout ? max_levels_ : 0);
    out.max_file = max_file_;
    return out;
  }

  std::shared_ptr<const ExternalProgram> program_;
  Answer answer_;
  std::map<std::string, std::string> values_;
  std::optional<ScratchFolder> scratch_;
  vertex_t vertices_ = 0;
  std::vector<vertex_t> ranks_;  // empty unless an argument has {source_rank}
  std::uint64_t max_levels_ = 0;
  std::uint64_t max_file_ = 0;
  std::optional<double> own_time_ms_;
  std::vector<level_t> levels_;
  std::string fault_;
  std::optional<RunFolder> folder_;  // of the process that is asked
  std::optional<AskedChild> asked_;  // ended before its folder is removed
};

}  // namespace

std::unique_ptr<Engine> make_external(std::shared_ptr<const ExternalProgram> program,
                                      const EngineSettings& settings) {
  return std::make_unique<ExternalEngine>(std::move(program), settings);
}

}  // namespace bfslab

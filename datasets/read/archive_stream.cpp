// SPDX-License-Identifier: Apache-2.0
#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "datasets/graph/types.hpp"
#include "datasets/read/file_input.hpp"
#include "datasets/read/packings.hpp"
#include "datasets/text/printable.hpp"

namespace bfslab {

namespace {

struct Free {
  void operator()(archive* handle) const { archive_read_free(handle); }
};
using Archive = std::unique_ptr<archive, Free>;

Archive new_archive() {
  Archive handle(archive_read_new());
  if (!handle) throw std::bad_alloc();
  return handle;
}

std::string reason_of(archive* handle) {
  const char* text = archive_error_string(handle);
  return text == nullptr ? "unreadable" : text;
}

// Fills `out` from the current entry; fewer bytes only at its end. nullopt: a fault.
std::optional<std::size_t> fill(archive* handle, std::span<char> out) {
  std::size_t filled = 0;
  while (filled < out.size()) {
    const la_ssize_t count = archive_read_data(handle, out.data() + filled, out.size() - filled);
    if (count < 0) return std::nullopt;
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
  }
  return filled;
}

class Bzip2Stream final : public ByteStream {
 public:
  explicit Bzip2Stream(const std::string& path)
      : path_(path), size_(OpenFile(path).size()), archive_(new_archive()) {
    constexpr std::size_t kBlock = std::size_t{1} << 18;
    archive* const handle = archive_.get();
    archive_read_support_filter_bzip2(handle);
    archive_read_support_format_raw(handle);
    archive_read_support_format_empty(handle);
    if (archive_read_open_filename(handle, path.c_str(), kBlock) != ARCHIVE_OK) refuse();
    archive_entry* entry = nullptr;
    const int result = archive_read_next_header(handle, &entry);
    // Too short for a header, and so mistaken for plain text.
    if (archive_filter_code(handle, 0) != ARCHIVE_FILTER_BZIP2) {
      throw InputError(
          fmt::format("{}: cut off or damaged within its bzip2 header, {} bytes long; "
                      "fetch the file again",
                      path, size_));
    }
    if (result == ARCHIVE_EOF) {
      finish();
    } else if (result != ARCHIVE_OK) {
      refuse();
    }
  }

  std::size_t read(std::span<char> out) override {
    if (ended_) return 0;
    const auto filled = fill(archive_.get(), out);
    if (!filled) refuse();
    if (*filled < out.size()) finish();
    return *filled;
  }
  [[nodiscard]] std::string packing() const override { return "bzip2"; }

 private:
  // Bytes of the file; all of them where libarchive has failed before it could count.
  [[nodiscard]] std::uint64_t consumed() const {
    const la_int64_t bytes = archive_filter_bytes(archive_.get(), -1);
    return bytes < 0 ? size_ : static_cast<std::uint64_t>(bytes);
  }
  // libarchive takes anything after a stream that is not a stream for the end.
  void finish() {
    ended_ = true;
    if (consumed() >= size_) return;
    throw InputError(
        fmt::format("{}: {} bytes at byte {} follow the bzip2 stream and are not a bzip2 stream; "
                    "fetch the file "
                    "again",
                    path_, size_ - consumed(), consumed()));
  }
  [[noreturn]] void refuse() const {
    const std::string reason = reason_of(archive_.get());
    if (reason.find("runcated") != std::string::npos) {
      throw InputError(fmt::format(
          "{}: the bzip2 stream is cut off after {} bytes; fetch the file again", path_, size_));
    }
    throw InputError(fmt::format("{}: damaged bzip2 data before byte {} ({}); fetch the file again",
                                 path_, consumed(), reason));
  }

  std::string path_;
  std::uint64_t size_;
  Archive archive_;
  bool ended_ = false;
};

struct Member {
  std::string path;
  bool regular = false;

  [[nodiscard]] std::string_view last_part() const {
    return std::string_view(path).substr(path.rfind('/') + 1);  // npos + 1 is 0
  }
  [[nodiscard]] bool matches(const std::string& glob) const {
    return regular && fnmatch(glob.c_str(), std::string(last_part()).c_str(), 0) == 0;
  }
  // Without doubt: named like a glob without wildcards, or like the folder around it. Distributors
  // give a graph's companions longer names: NAME/NAME.mtx and NAME/NAME_coord.mtx.
  [[nodiscard]] bool is_meant(const std::string& glob) const {
    if (glob.find_first_of("*?[\\") == std::string::npos) return regular && last_part() == glob;
    const std::size_t star = glob.find('*');
    const std::size_t end = path.rfind('/');
    if (star == std::string::npos || end == std::string::npos || end == 0) return false;
    const std::size_t before = path.rfind('/', end - 1);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    const std::string folder = path.substr(begin, end - begin);
    return regular && last_part() == glob.substr(0, star) + folder + glob.substr(star + 1);
  }
};

using Choice = std::function<bool(const Member&)>;

// The archive from its beginning to the chosen member, then that member, then the rest.
class TarStream final : public ByteStream {
 public:
  TarStream(std::unique_ptr<ByteStream> bytes, std::string path, Choice choice)
      : bytes_(std::move(bytes)),
        path_(std::move(path)),
        choice_(std::move(choice)),
        window_(kWindow),
        archive_(new_archive()) {
    archive_read_support_format_tar(archive_.get());
    if (archive_read_open(archive_.get(), this, nullptr, &TarStream::give, nullptr) != ARCHIVE_OK) {
      refuse();
    }
    advance();
  }

  [[nodiscard]] bool found() const { return chosen_.has_value(); }
  // All members, where none was chosen.
  [[nodiscard]] const std::vector<Member>& members() const { return members_; }

  std::size_t read(std::span<char> out) override {
    if (ended_) return 0;
    const auto filled = fill(archive_.get(), out);
    if (!filled) refuse();
    if (*filled < out.size()) {
      ended_ = true;
      advance();
    }
    return *filled;
  }
  [[nodiscard]] std::string packing() const override {
    const std::string outer = bytes_->packing();
    return fmt::format("{}{}tar member {}", outer, outer.empty() ? "" : ", ",
                       printable(chosen_.value_or(Member{}).path));
  }

 private:
  static constexpr std::size_t kWindow = std::size_t{1} << 18;

  // To the chosen member, or from it to the end.
  void advance() {
    archive_entry* entry = nullptr;
    while (true) {
      const int result = archive_read_next_header(archive_.get(), &entry);
      if (result == ARCHIVE_EOF) break;
      if (result != ARCHIVE_OK && result != ARCHIVE_WARN) refuse();
      Member member = describe(entry);
      if (!choice_(member)) {
        members_.push_back(std::move(member));
      } else if (chosen_) {
        throw InputError(fmt::format(
            "{}: holds {} and {}, and either may be the graph; unpack it and name the file", path_,
            printable(chosen_->path), printable(member.path)));
      } else {
        chosen_ = std::move(member);
        return;
      }
    }
    drain();
  }

  static Member describe(archive_entry* entry) {
    const char* path = archive_entry_pathname(entry);
    if (path == nullptr) path = archive_entry_pathname_utf8(entry);
    return {path == nullptr ? "?" : path,
            archive_entry_filetype(entry) == AE_IFREG && archive_entry_hardlink(entry) == nullptr};
  }

  // The packing of the archive is checked to its end too. After an archive there are only zeros.
  void drain() {
    const auto consumed = static_cast<std::uint64_t>(archive_filter_bytes(archive_.get(), -1));
    std::size_t count = last_;
    std::size_t unread = std::min(static_cast<std::size_t>(given_ - consumed), count);
    while (count > 0) {
      const auto* const end = window_.data() + count;
      if (std::any_of(end - unread, end, [](char c) { return c != '\0'; })) {
        throw InputError(fmt::format(
            "{}: something follows the end of the tar archive; fetch the file again", path_));
      }
      count = unread = bytes_->read(window_);
    }
  }

  static la_ssize_t give(archive* handle, void* self, const void** data) {
    auto& stream = *static_cast<TarStream*>(self);
    try {  // an exception must not pass through C
      stream.last_ = stream.bytes_->read(stream.window_);
      stream.given_ += stream.last_;
      *data = stream.window_.data();
      return static_cast<la_ssize_t>(stream.last_);
    } catch (...) {
      stream.fault_ = std::current_exception();
      archive_set_error(handle, EIO, "unreadable");
      return ARCHIVE_FATAL;
    }
  }

  [[noreturn]] void refuse() const {
    if (fault_) std::rethrow_exception(fault_);
    throw InputError(
        fmt::format("{}: damaged or cut off tar archive, before byte {} of it ({}); fetch the file "
                    "again",
                    path_, given_, reason_of(archive_.get())));
  }

  std::unique_ptr<ByteStream> bytes_;
  std::string path_;
  Choice choice_;
  std::vector<char> window_;
  std::uint64_t given_ = 0;  // bytes handed to libarchive
  std::size_t last_ = 0;     // of them in the window
  std::exception_ptr fault_;
  Archive archive_;
  std::optional<Member> chosen_;
  std::vector<Member> members_;
  bool ended_ = false;
};

std::string listed(const std::vector<Member>& members) {
  constexpr std::size_t kShown = 12;
  std::string text;
  for (const Member& member : members) {
    if (&member == &members[0] + kShown) {
      return text + fmt::format(", and {} more", members.size() - kShown);
    }
    text += (text.empty() ? "" : ", ") + printable(member.path);
    if (!member.regular && !member.path.ends_with('/')) text += " (no regular file)";
  }
  return text.empty() ? "nothing" : text;
}

// The one member that is meant, if none is so without doubt.
const Member& choose(const std::vector<Member>& members, const std::vector<std::string>& globs,
                     const std::string& path) {
  const Member* matching = nullptr;
  const Member* regular = nullptr;
  std::size_t matches = 0;
  std::size_t regulars = 0;
  for (const Member& member : members) {
    if (member.regular) {
      regular = &member;
      ++regulars;
    }
    if (std::any_of(globs.begin(), globs.end(),
                    [&](const std::string& glob) { return member.matches(glob); })) {
      matching = &member;
      ++matches;
    }
  }
  if (matches == 1) return *matching;
  if (matches == 0 && regulars == 1) return *regular;
  throw InputError(fmt::format(
      "{}: the tar archive must hold one file{}{}, and holds {}; unpack it and name the file", path,
      globs.empty() ? "" : " like ", fmt::join(globs, " or "), listed(members)));
}

}  // namespace

std::unique_ptr<ByteStream> open_bzip2(const std::string& path) {
  return std::make_unique<Bzip2Stream>(path);
}

std::unique_ptr<ByteStream> open_tar(const std::function<std::unique_ptr<ByteStream>()>& open,
                                     const std::string& path,
                                     const std::vector<std::string>& members) {
  auto stream = std::make_unique<TarStream>(open(), path, [members](const Member& member) {
    return std::any_of(members.begin(), members.end(),
                       [&](const std::string& glob) { return member.is_meant(glob); });
  });
  if (stream->found()) return stream;
  const std::string wanted = choose(stream->members(), members, path).path;
  return std::make_unique<TarStream>(open(), path, [wanted](const Member& member) {
    return member.regular && member.path == wanted;
  });
}

}  // namespace bfslab

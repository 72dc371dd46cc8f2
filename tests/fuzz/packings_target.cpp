// SPDX-License-Identifier: Apache-2.0
// packings: open_bytes() on any bytes, and on files packed here and then damaged. Whatever was
// damaged, the result is the text that was packed, or an InputError.
#include <algorithm>
#include <array>

#include "datasets/graph/types.hpp"
#include "datasets/read/byte_stream.hpp"
#include "tests/datasets/packed.hpp"
#include "tests/fuzz/invariants.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/target.hpp"

namespace bfslab::fuzz {

namespace {

// A bomb of some bytes legitimately unpacks to gigabytes: only its beginning is read.
constexpr std::size_t kEnough = std::size_t{1} << 20;

std::string read_some(const std::string& path, std::size_t step,
                      const std::vector<std::string>& members) {
  const auto stream = open_bytes(path, members);
  std::vector<char> buffer(step);
  std::string text;
  while (text.size() < kEnough) {
    const std::size_t count = stream->read(buffer);
    require(count <= step, "a stream gave more than was asked for");
    text.append(buffer.data(), count);
    if (count == step) continue;
    require(stream->read(buffer) == 0, "a stream continued after its end");
    break;
  }
  check_printable(stream->packing(), "a packing");
  return text;
}

const std::vector<std::string> kMembers = {"out.*", "*.mtx"};

void run_raw(const std::string& path, std::size_t step) {
  const std::string text = read_some(path, step, kMembers);
  const std::string again = read_some(path, 4096, kMembers);
  const std::size_t both = std::min(text.size(), again.size());
  require(text.substr(0, both) == again.substr(0, both) &&
              (text.size() == again.size() || both >= kEnough),
          "the text depends on the size of the reads");
}

struct Packed {
  std::string bytes;
  std::size_t magic = 0;  // bytes by which the packing is recognised
  bool summed = true;     // a checksum protects the text
};

std::string wrap(const std::string& text, unsigned how) {
  switch (how % 3) {
    case 0:
      return tests::gzip_of(text);
    case 1:
      return tests::has_zstd() ? tests::zstd_of(text) : tests::gzip_of(text);
    default:
      return tests::has_archives() ? tests::bzip2_of(text) : tests::gzip_of(text);
  }
}

Packed pack(const std::string& text, unsigned how) {
  constexpr std::array<const char*, 4> kFormats = {"ustar", "gnutar", "pax", "v7tar"};
  constexpr std::size_t kTarHeader = 512;
  if (how % 8 < 4 || !tests::has_archives()) return {wrap(text, how), 4, true};
  std::vector<tests::TarMember> members = {{"g/README", "words", {}}, {"g/out.g", text, {}}};
  if ((how & 8) != 0) members.push_back({"g/meta.g", "more words", {}});
  if ((how & 16) != 0) members.insert(members.begin(), {"g/", "", {}});
  const std::string tar = tests::tar_of(members, kFormats[how / 32 % 4]);
  if (how % 8 < 6) return {wrap(tar, how / 2), 4, true};
  return {tar, kTarHeader, false};
}

// A text that is itself packed is legitimately unpacked once more, or refused.
bool is_plain(MemoryFile& file, const std::string& text) {
  file.assign({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  try {
    return read_some(file.path(), 4096, kMembers) == text;
  } catch (const InputError&) {
    return false;
  }
}

void run_packed(MemoryFile& file, Numbers numbers, std::size_t step) {
  const auto how = numbers.take<std::uint8_t>();
  const auto changes = numbers.take<std::uint8_t>() % 4;
  struct Change {
    std::uint16_t at;
    std::uint8_t value;
  };
  std::array<Change, 4> list{};
  for (Change& change : list) {
    change = {numbers.take<std::uint16_t>(), numbers.take<std::uint8_t>()};
  }
  const auto cut = numbers.take<std::uint16_t>();
  const std::string text(as_text(numbers.rest()));
  if (!is_plain(file, text)) return;
  Packed packed = pack(text, how);
  const std::string good = packed.bytes;
  for (int c = 0; c < changes; ++c) {
    const std::size_t at = list[c].at % packed.bytes.size();
    packed.bytes[at] = static_cast<char>(packed.bytes[at] ^ list[c].value);
  }
  // A tar archive may end without its zeros; the rest of it must be complete.
  if (cut % 4 == 1) packed.bytes.resize(packed.bytes.size() * cut / 65536);
  file.assign({reinterpret_cast<const std::uint8_t*>(packed.bytes.data()), packed.bytes.size()});
  std::string got;
  try {
    got = read_some(file.path(), step, kMembers);
  } catch (...) {
    require(packed.bytes != good, "what was packed cannot be unpacked");
    throw;
  }
  const std::string_view kept = std::string_view(text).substr(0, got.size());
  const bool same = got == kept && (got.size() == text.size() || got.size() >= kEnough);
  const bool known = packed.bytes.size() >= packed.magic &&
                     packed.bytes.compare(0, packed.magic, good, 0, packed.magic) == 0;
  const bool untouched = changes == 0 || packed.summed;
  require(same || !known || !untouched, "damage gave another text");
}

void run(Input input) {
  static MemoryFile file;
  Numbers numbers(input);
  const auto mode = numbers.take<std::uint8_t>();
  const std::size_t step = 1 + mode / 2 * std::size_t{7};
  try {
    if (mode % 2 == 0) {
      file.assign(numbers.rest());
      run_raw(file.path(), step);
    } else {
      run_packed(file, numbers, step);
    }
  } catch (const InputError& error) {
    const std::string message = error.what();
    require(message.starts_with(file.path() + ":"),
            "the message does not begin with the file: " + message);
    check_printable(message, "a message");
    throw;
  }
}

}  // namespace

Target packings_target() {
  return {"packings", "gzip, bzip2, zstd and tar, as they come and damaged on purpose", run};
}

}  // namespace bfslab::fuzz

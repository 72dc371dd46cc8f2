// SPDX-License-Identifier: Apache-2.0
// The streams that open_bytes() chooses from, one per packing. Each throws InputError as ByteStream
// specifies. In a build without the library the function throws with the name of what to install.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/read/byte_stream.hpp"

namespace bfslab {

// zlib. Streams may follow one another, as `cat a.gz b.gz` makes them. `mend` ends the messages
// about a file that is cut off or damaged.
std::unique_ptr<ByteStream> open_gzip(const std::string& path,
                                      const char* mend = "fetch the file again");
// libzstd. Frames may follow one another.
std::unique_ptr<ByteStream> open_zstd(const std::string& path);
// libarchive. Streams may follow one another.
std::unique_ptr<ByteStream> open_bzip2(const std::string& path);

// One member of a tar archive, whose bytes `open` gives from the beginning, each time it is called;
// see open_bytes() for how `members` choose. Nothing is written to disk, so a member's path is a
// name and not a location. The archive is read to its end before the stream ends, so that damage
// after the member is found too. libarchive.
std::unique_ptr<ByteStream> open_tar(const std::function<std::unique_ptr<ByteStream>()>& open,
                                     const std::string& path,
                                     const std::vector<std::string>& members);

}  // namespace bfslab

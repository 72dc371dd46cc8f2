// SPDX-License-Identifier: Apache-2.0
// NVTX ranges in one domain, "bfslab", for nsys and ncu:
//
//   experiment > graph > engine > source > measured > level <k> <direction> <technique>
//     > level=<k> > technique=<technique>
//
// (warm-ups are under "warm-up" instead of "measured"). The payload of a level range is the size of
// its frontier, and that of an engine range, named by its case, the number of its configuration in
// the spec. The two innermost ranges exist for ncu, which selects ranges by their whole names.
// `nsys profile --capture-range=nvtx --nvtx-capture=measured@bfslab` and `ncu --nvtx --nvtx-include
// "bfslab@measured/"` see only the measured region.
//
// Without a profiler nvtxDomainCreate gives no domain: attached() is false and a range costs one
// comparison. Without the toolkit's headers (BFSLAB_HAVE_NVTX undefined) ranges compile to nothing.
#pragma once

#include <cstdint>
#include <optional>

#ifdef BFSLAB_HAVE_NVTX
#include <nvtx3/nvToolsExt.h>
#endif

namespace bfslab::nvtx {

#ifdef BFSLAB_HAVE_NVTX

inline nvtxDomainHandle_t domain() {
  static const nvtxDomainHandle_t handle = nvtxDomainCreateA("bfslab");
  return handle;
}

// Returns whether a tool is attached.
inline bool attached() { return domain() != nullptr; }

inline void push(const char* name, std::optional<std::uint64_t> payload = {}) {
  if (!attached()) return;
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_ASCII;
  event.message.ascii = name;
  if (payload) {
    event.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
    event.payload.ullValue = *payload;
  }
  nvtxDomainRangePushEx(domain(), &event);
}

inline void pop() {
  if (attached()) nvtxDomainRangePop(domain());
}

#else

inline bool attached() { return false; }
inline void push(const char*, std::optional<std::uint64_t> = {}) {}
inline void pop() {}

#endif

// A range that lasts as long as the object; it begins and ends on one thread, so that ranges nest.
class Range {
 public:
  explicit Range(const char* name, std::optional<std::uint64_t> payload = {}) {
    push(name, payload);
  }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
  ~Range() { pop(); }
};

}  // namespace bfslab::nvtx

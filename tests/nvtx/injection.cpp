// SPDX-License-Identifier: Apache-2.0
// A tool that NVTX loads into a process (NVTX_INJECTION64_PATH) and that writes every range to the
// file named by BFSLAB_NVTX_LOG: "push DOMAIN PAYLOAD NAME" and "pop DOMAIN", one per line.
#include <nvtx3/nvToolsExt.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

std::vector<std::string>& domains() {
  static std::vector<std::string> names;
  return names;
}

std::FILE* log() {
  static std::FILE* file = std::fopen(std::getenv("BFSLAB_NVTX_LOG"), "a");
  return file;
}

// A domain's handle is its number in `domains`, from 1.
nvtxDomainHandle_t NVTX_API create(const char* name) {
  domains().emplace_back(name);
  return reinterpret_cast<nvtxDomainHandle_t>(domains().size());
}

const char* name_of(nvtxDomainHandle_t domain) {
  return domains().at(reinterpret_cast<std::size_t>(domain) - 1).c_str();
}

int NVTX_API push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  if (event->payloadType == NVTX_PAYLOAD_TYPE_UNSIGNED_INT64) {
    std::fprintf(log(), "push %s %llu %s\n", name_of(domain),
                 static_cast<unsigned long long>(event->payload.ullValue), event->message.ascii);
  } else {
    std::fprintf(log(), "push %s - %s\n", name_of(domain), event->message.ascii);
  }
  std::fflush(log());
  return 0;
}

int NVTX_API pop(nvtxDomainHandle_t domain) {
  std::fprintf(log(), "pop %s\n", name_of(domain));
  std::fflush(log());
  return 0;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    NvtxGetExportTableFunc_t get_export_table) {
  if (std::getenv("BFSLAB_NVTX_LOG") == nullptr) return 0;
  const auto* callbacks =
      static_cast<const NvtxExportTableCallbacks*>(get_export_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned int size = 0;
  if (callbacks == nullptr ||
      callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size) == 0 ||
      size <= NVTX_CBID_CORE2_DomainRangePop) {
    return 0;
  }
  *table[NVTX_CBID_CORE2_DomainCreateA] = reinterpret_cast<NvtxFunctionPointer>(create);
  *table[NVTX_CBID_CORE2_DomainRangePushEx] = reinterpret_cast<NvtxFunctionPointer>(push);
  *table[NVTX_CBID_CORE2_DomainRangePop] = reinterpret_cast<NvtxFunctionPointer>(pop);
  return 1;
}

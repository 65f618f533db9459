// SPDX-License-Identifier: Apache-2.0
// The just-in-time linker (CUDA driver API, "Module Management").
#include <fstream>
#include <iterator>
#include <vector>

#include "simgpu/driver/driver_call.h"
#include "simgpu/launch/linker.h"

namespace dltap::simgpu {
namespace {

template <ApiName kName, typename Body>
CUresult OnLinker(CUlinkState state, Body body) {
  return Driver<kName>(DriverNeeds::kContext, [&] {
    Linker* linker = FromHandle<Linker>(state);
    return linker == nullptr ? Error::kInvalidHandle : body(*linker);
  });
}

bool IsLogSize(CUjit_option option) {
  return option == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES ||
         option == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES;
}

Error Add(Linker& linker, CUjitInputType type, const void* data, size_t bytes) {
  if (data == nullptr || bytes == 0 || type >= CU_JIT_NUM_INPUT_TYPES) {
    return Error::kInvalidValue;
  }
  const bool must_be_image = type == CU_JIT_INPUT_CUBIN ||
                             type == CU_JIT_INPUT_PTX ||
                             type == CU_JIT_INPUT_FATBINARY;
  return AddToLink(linker, data, bytes, must_be_image);
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

CUresult cuLinkCreate_v2(unsigned int numOptions, CUjit_option* options,
                         void** optionValues, CUlinkState* stateOut) {
  return Driver<"cuLinkCreate_v2">(DriverNeeds::kContext, [&] {
    if (stateOut == nullptr ||
        (numOptions > 0 && (options == nullptr || optionValues == nullptr))) {
      return Error::kInvalidValue;
    }
    Linker* linker = HandlePool<Linker>::New();
    for (unsigned i = 0; i < numOptions; ++i) {
      if (IsLogSize(options[i])) linker->log_sizes.push_back(&optionValues[i]);
    }
    *stateOut = ToHandle<CUlinkState>(linker);
    return Error::kSuccess;
  });
}

CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void* data,
                          size_t size, const char*, unsigned int, CUjit_option*,
                          void**) {
  return OnLinker<"cuLinkAddData_v2">(
      state, [&](Linker& linker) { return Add(linker, type, data, size); });
}

CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type,
                          const char* path, unsigned int, CUjit_option*,
                          void**) {
  return OnLinker<"cuLinkAddFile_v2">(state, [&](Linker& linker) {
    if (path == nullptr) return Error::kInvalidValue;
    std::ifstream file(path, std::ios::binary);
    if (!file) return Error::kFileNotFound;
    const std::vector<char> data{std::istreambuf_iterator<char>(file), {}};
    return Add(linker, type, data.data(), data.size());
  });
}

CUresult cuLinkComplete(CUlinkState state, void** cubinOut, size_t* sizeOut) {
  return OnLinker<"cuLinkComplete">(state, [&](Linker& linker) {
    if (cubinOut == nullptr) return Error::kInvalidValue;
    CompleteLink(linker);
    *cubinOut = linker.image.data();
    if (sizeOut != nullptr) *sizeOut = linker.image.size();
    return Error::kSuccess;
  });
}

CUresult cuLinkDestroy(CUlinkState state) {
  return OnLinker<"cuLinkDestroy">(state, [](Linker& linker) {
    HandlePool<Linker>::Delete(&linker);
    return Error::kSuccess;
  });
}

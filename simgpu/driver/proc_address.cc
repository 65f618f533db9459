// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <string_view>

#include "simgpu/base/address_routes.h"
#include "simgpu/driver/driver_call.h"
#include "simgpu/driver/proc_addresses.h"

namespace dltap::simgpu {
namespace {

struct Answer {
  const char* symbol = nullptr;
  void* address = nullptr;
  bool name_known = false;
};

// The newest ABI that is not newer than `version`.
Answer Find(std::string_view base, int version, bool per_thread) {
  Answer answer;
  for (const ProcAddress& row : ProcAddresses()) {
    if (row.base != base || row.per_thread != per_thread) continue;
    answer.name_known = true;
    if (row.version > version) continue;
    answer.symbol = row.symbol;
    answer.address = row.address;
  }
  return answer;
}

Answer FindFor(std::string_view base, int version, cuuint64_t flags) {
  if ((flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0) {
    const Answer answer = Find(base, version, true);
    if (answer.name_known) return answer;
  }
  return Find(base, version, false);
}

Error GetAddress(const char* symbol, void** function, int version,
                 cuuint64_t flags, CUdriverProcAddressQueryResult* status) {
  if (symbol == nullptr || function == nullptr) return Error::kInvalidValue;
  const Answer answer = FindFor(symbol, version, flags);
  *function = CountedAddress(answer.symbol, answer.address);
  const auto missing = answer.name_known
                           ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                           : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  if (status != nullptr) {
    *status = answer.address == nullptr ? missing : CU_GET_PROC_ADDRESS_SUCCESS;
  }
  return answer.address == nullptr ? Error::kNotFound : Error::kSuccess;
}

// libcudart has this library's functions by address too, the first included.
void NoteCaller(const char* symbol, const void* caller) {
  if (IsSimulatedLibrary(caller)) CountInnerCall(symbol);
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

CUresult cuGetProcAddress(const char* symbol, void** pfn, int cudaVersion,
                          cuuint64_t flags) {
  NoteCaller("cuGetProcAddress", __builtin_return_address(0));
  return Driver<"cuGetProcAddress">(DriverNeeds::kNothing, [&] {
    return GetAddress(symbol, pfn, cudaVersion, flags, nullptr);
  });
}

CUresult cuGetProcAddress_v2(const char* symbol, void** pfn, int cudaVersion,
                             cuuint64_t flags,
                             CUdriverProcAddressQueryResult* symbolStatus) {
  NoteCaller("cuGetProcAddress_v2", __builtin_return_address(0));
  return Driver<"cuGetProcAddress_v2">(DriverNeeds::kNothing, [&] {
    return GetAddress(symbol, pfn, cudaVersion, flags, symbolStatus);
  });
}

// Private tables between the vendor's own libraries: there are none here.
CUresult cuGetExportTable(const void** ppExportTable, const CUuuid*) {
  return Driver<"cuGetExportTable">(DriverNeeds::kNothing, [&] {
    if (ppExportTable != nullptr) *ppExportTable = nullptr;
    return Error::kNotFound;
  });
}

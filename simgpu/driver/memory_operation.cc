// SPDX-License-Identifier: Apache-2.0
// Stream-ordered reads and writes of single words.
#include "simgpu/stream/memory_operation.h"

#include <utility>

#include "simgpu/driver/driver_call.h"
#include "simgpu/driver/node_params.h"
#include "simgpu/stream/submit.h"

namespace dltap::simgpu {
namespace {

Error SubmitChecked(Stream& stream, MemoryOperationsWork work) {
  const Error error = CheckMemoryOperations(work);
  return error == Error::kSuccess ? Submit(stream, std::move(work)) : error;
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
CUresult One(CUstream handle, MemoryOperationType type, CUdeviceptr address,
             cuuint64_t value, unsigned flags) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    return SubmitChecked(
        stream, {.operations = {{type, ToPointer(address), value, flags}}});
  });
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
CUresult Batch(CUstream handle, unsigned count,
               const CUstreamBatchMemOpParams* array, unsigned flags) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    // "Count must be less than 256."
    constexpr unsigned kMostOperations = 256;
    if (array == nullptr || count >= kMostOperations)
      return Error::kInvalidValue;
    MemoryOperationsWork work{.operations = {}, .flags = flags};
    for (unsigned i = 0; i < count; ++i)
      work.operations.push_back(OperationOf(array[i]));
    return SubmitChecked(stream, std::move(work));
  });
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr addr,
                             cuuint32_t value, unsigned int flags) {
  return One<"cuStreamWaitValue32">(stream, MemoryOperationType::kWait32, addr,
                                    value, flags);
}

CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr addr,
                             cuuint64_t value, unsigned int flags) {
  return One<"cuStreamWaitValue64">(stream, MemoryOperationType::kWait64, addr,
                                    value, flags);
}

CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr addr,
                              cuuint32_t value, unsigned int flags) {
  return One<"cuStreamWriteValue32">(stream, MemoryOperationType::kWrite32,
                                     addr, value, flags);
}

CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr addr,
                              cuuint64_t value, unsigned int flags) {
  return One<"cuStreamWriteValue64">(stream, MemoryOperationType::kWrite64,
                                     addr, value, flags);
}

CUresult cuStreamBatchMemOp(CUstream stream, unsigned int count,
                            CUstreamBatchMemOpParams* paramArray,
                            unsigned int flags) {
  return Batch<"cuStreamBatchMemOp">(stream, count, paramArray, flags);
}

CUresult cuStreamWaitValue32_ptsz(CUstream stream, CUdeviceptr addr,
                                  cuuint32_t value, unsigned int flags) {
  return One<"cuStreamWaitValue32_ptsz", kPtsz>(
      stream, MemoryOperationType::kWait32, addr, value, flags);
}

CUresult cuStreamWaitValue64_ptsz(CUstream stream, CUdeviceptr addr,
                                  cuuint64_t value, unsigned int flags) {
  return One<"cuStreamWaitValue64_ptsz", kPtsz>(
      stream, MemoryOperationType::kWait64, addr, value, flags);
}

CUresult cuStreamWriteValue32_ptsz(CUstream stream, CUdeviceptr addr,
                                   cuuint32_t value, unsigned int flags) {
  return One<"cuStreamWriteValue32_ptsz", kPtsz>(
      stream, MemoryOperationType::kWrite32, addr, value, flags);
}

CUresult cuStreamWriteValue64_ptsz(CUstream stream, CUdeviceptr addr,
                                   cuuint64_t value, unsigned int flags) {
  return One<"cuStreamWriteValue64_ptsz", kPtsz>(
      stream, MemoryOperationType::kWrite64, addr, value, flags);
}

CUresult cuStreamBatchMemOp_ptsz(CUstream stream, unsigned int count,
                                 CUstreamBatchMemOpParams* paramArray,
                                 unsigned int flags) {
  return Batch<"cuStreamBatchMemOp_ptsz", kPtsz>(stream, count, paramArray,
                                                 flags);
}

CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr addr,
                                cuuint32_t value, unsigned int flags) {
  return One<"cuStreamWaitValue32_v2">(stream, MemoryOperationType::kWait32,
                                       addr, value, flags);
}

CUresult cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr addr,
                                cuuint64_t value, unsigned int flags) {
  return One<"cuStreamWaitValue64_v2">(stream, MemoryOperationType::kWait64,
                                       addr, value, flags);
}

CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr addr,
                                 cuuint32_t value, unsigned int flags) {
  return One<"cuStreamWriteValue32_v2">(stream, MemoryOperationType::kWrite32,
                                        addr, value, flags);
}

CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr addr,
                                 cuuint64_t value, unsigned int flags) {
  return One<"cuStreamWriteValue64_v2">(stream, MemoryOperationType::kWrite64,
                                        addr, value, flags);
}

CUresult cuStreamBatchMemOp_v2(CUstream stream, unsigned int count,
                               CUstreamBatchMemOpParams* paramArray,
                               unsigned int flags) {
  return Batch<"cuStreamBatchMemOp_v2">(stream, count, paramArray, flags);
}

CUresult cuStreamWaitValue32_v2_ptsz(CUstream stream, CUdeviceptr addr,
                                     cuuint32_t value, unsigned int flags) {
  return One<"cuStreamWaitValue32_v2_ptsz", kPtsz>(
      stream, MemoryOperationType::kWait32, addr, value, flags);
}

CUresult cuStreamWaitValue64_v2_ptsz(CUstream stream, CUdeviceptr addr,
                                     cuuint64_t value, unsigned int flags) {
  return One<"cuStreamWaitValue64_v2_ptsz", kPtsz>(
      stream, MemoryOperationType::kWait64, addr, value, flags);
}

CUresult cuStreamWriteValue32_v2_ptsz(CUstream stream, CUdeviceptr addr,
                                      cuuint32_t value, unsigned int flags) {
  return One<"cuStreamWriteValue32_v2_ptsz", kPtsz>(
      stream, MemoryOperationType::kWrite32, addr, value, flags);
}

CUresult cuStreamWriteValue64_v2_ptsz(CUstream stream, CUdeviceptr addr,
                                      cuuint64_t value, unsigned int flags) {
  return One<"cuStreamWriteValue64_v2_ptsz", kPtsz>(
      stream, MemoryOperationType::kWrite64, addr, value, flags);
}

CUresult cuStreamBatchMemOp_v2_ptsz(CUstream stream, unsigned int count,
                                    CUstreamBatchMemOpParams* paramArray,
                                    unsigned int flags) {
  return Batch<"cuStreamBatchMemOp_v2_ptsz", kPtsz>(stream, count, paramArray,
                                                    flags);
}

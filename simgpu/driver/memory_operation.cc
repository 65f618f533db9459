// SPDX-License-Identifier: Apache-2.0
// Stream-ordered reads and writes of single words.
#include "simgpu/stream/memory_operation.h"

#include <utility>

#include "simgpu/driver/driver_body.h"
#include "simgpu/driver/node_params.h"
#include "simgpu/stream/submit.h"

namespace dltap::simgpu {
namespace {

Error SubmitChecked(Stream& stream, MemoryOperationsWork work) {
  const Error error = CheckMemoryOperations(work);
  return error == Error::kSuccess ? Submit(stream, std::move(work)) : error;
}

Error SubmitOne(Stream& stream, const MemoryOperation& operation) {
  return SubmitChecked(stream, {.operations = {operation}});
}

}  // namespace

namespace body {

Error StreamWaitValue32(Stream& stream, CUdeviceptr address, cuuint32_t value,
                        unsigned flags) {
  return SubmitOne(
      stream, {MemoryOperationType::kWait32, ToPointer(address), value, flags});
}

Error StreamWaitValue64(Stream& stream, CUdeviceptr address, cuuint64_t value,
                        unsigned flags) {
  return SubmitOne(
      stream, {MemoryOperationType::kWait64, ToPointer(address), value, flags});
}

Error StreamWriteValue32(Stream& stream, CUdeviceptr address, cuuint32_t value,
                         unsigned flags) {
  return SubmitOne(stream, {MemoryOperationType::kWrite32, ToPointer(address),
                            value, flags});
}

Error StreamWriteValue64(Stream& stream, CUdeviceptr address, cuuint64_t value,
                         unsigned flags) {
  return SubmitOne(stream, {MemoryOperationType::kWrite64, ToPointer(address),
                            value, flags});
}

Error StreamBatchMemOp(Stream& stream, unsigned count,
                       CUstreamBatchMemOpParams* array, unsigned flags) {
  // "Count must be less than 256."
  constexpr unsigned kMostOperations = 256;
  if (array == nullptr || count >= kMostOperations) return Error::kInvalidValue;
  MemoryOperationsWork work{.operations = {}, .flags = flags};
  for (unsigned i = 0; i < count; ++i)
    work.operations.push_back(OperationOf(array[i]));
  return SubmitChecked(stream, std::move(work));
}

}  // namespace body
}  // namespace dltap::simgpu

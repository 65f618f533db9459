// SPDX-License-Identifier: Apache-2.0
#include "simgpu/memory/copy_batch.h"

#include "simgpu/memory/transfer.h"

namespace dltap::simgpu {

Error CheckBatch(const Stream& stream, size_t copies,
                 const BatchAttributes& attributes) {
  if (stream.legacy || copies == 0) return Error::kInvalidValue;
  if (stream.capture.load() != nullptr) return Error::kCaptureUnsupported;
  if (attributes.count == 0) return Error::kSuccess;
  if (attributes.first == nullptr || attributes.count > copies ||
      attributes.first[0] != 0) {
    return Error::kInvalidValue;
  }
  for (size_t i = 1; i < attributes.count; ++i) {
    if (attributes.first[i] <= attributes.first[i - 1] ||
        attributes.first[i] >= copies) {
      return Error::kInvalidValue;
    }
  }
  return Error::kSuccess;
}

Error RunBatch(Stream& stream, const std::vector<CopyWork>& copies) {
  for (const CopyWork& copy : copies) {
    const Error error = CopyAsync(stream, copy);
    if (error != Error::kSuccess) return error;
  }
  return Error::kSuccess;
}

}  // namespace dltap::simgpu

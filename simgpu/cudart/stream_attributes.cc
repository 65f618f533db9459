// SPDX-License-Identifier: Apache-2.0
// Attributes of streams.
#include "simgpu/stream/stream_attributes.h"

#include "simgpu/cudart/conversions.h"
#include "simgpu/cudart/runtime_call.h"

namespace dltap::simgpu {
namespace {

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t Get(cudaStream_t handle, int id, void* value) {
  return OnStream<kName, kNull>(handle, [&](const Stream& stream) {
    return GetStreamAttribute(stream, id, value);
  });
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t Set(cudaStream_t handle, int id, const void* value) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    return SetStreamAttribute(stream, id, value);
  });
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
cudaError_t Copy(cudaStream_t target, cudaStream_t source) {
  return OnStream<kName, kNull>(target, [&](Stream& to) {
    const Stream* from = ResolveStream(source, kNull);
    return from == nullptr ? Error::kInvalidHandle
                           : CopyStreamAttributes(*from, to);
  });
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

cudaError_t cudaStreamGetAttribute(cudaStream_t hStream,
                                   cudaLaunchAttributeID attr,
                                   cudaLaunchAttributeValue* value_out) {
  return Get<"cudaStreamGetAttribute">(hStream, attr, value_out);
}

cudaError_t cudaStreamSetAttribute(cudaStream_t hStream,
                                   cudaLaunchAttributeID attr,
                                   const cudaLaunchAttributeValue* value) {
  return Set<"cudaStreamSetAttribute">(hStream, attr, value);
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src) {
  return Copy<"cudaStreamCopyAttributes">(dst, src);
}

cudaError_t cudaStreamGetAttribute_ptsz(cudaStream_t hStream,
                                        cudaLaunchAttributeID attr,
                                        cudaLaunchAttributeValue* value_out) {
  return Get<"cudaStreamGetAttribute_ptsz", kPtsz>(hStream, attr, value_out);
}

cudaError_t cudaStreamSetAttribute_ptsz(cudaStream_t hStream,
                                        cudaLaunchAttributeID attr,
                                        const cudaLaunchAttributeValue* value) {
  return Set<"cudaStreamSetAttribute_ptsz", kPtsz>(hStream, attr, value);
}

cudaError_t cudaStreamCopyAttributes_ptsz(cudaStream_t dst, cudaStream_t src) {
  return Copy<"cudaStreamCopyAttributes_ptsz", kPtsz>(dst, src);
}

// SPDX-License-Identifier: Apache-2.0
// Attributes of streams.
#include "simgpu/stream/stream_attributes.h"

#include "simgpu/driver/driver_call.h"

namespace dltap::simgpu {
namespace {

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
CUresult Get(CUstream handle, int id, void* value) {
  return OnStream<kName, kNull>(handle, [&](const Stream& stream) {
    return GetStreamAttribute(stream, id, value);
  });
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
CUresult Set(CUstream handle, int id, const void* value) {
  return OnStream<kName, kNull>(handle, [&](Stream& stream) {
    return SetStreamAttribute(stream, id, value);
  });
}

template <ApiName kName, DefaultStream kNull = DefaultStream::kLegacy>
CUresult Copy(CUstream target, CUstream source) {
  return OnStream<kName, kNull>(target, [&](Stream& to) {
    const Stream* from = ResolveStream(source, kNull);
    return from == nullptr ? Error::kInvalidHandle
                           : CopyStreamAttributes(*from, to);
  });
}

}  // namespace
}  // namespace dltap::simgpu

using namespace dltap::simgpu;  // NOLINT: defines the vendor's functions only

CUresult cuStreamGetAttribute(CUstream hStream, CUstreamAttrID attr,
                              CUstreamAttrValue* value_out) {
  return Get<"cuStreamGetAttribute">(hStream, attr, value_out);
}

CUresult cuStreamSetAttribute(CUstream hStream, CUstreamAttrID attr,
                              const CUstreamAttrValue* value) {
  return Set<"cuStreamSetAttribute">(hStream, attr, value);
}

CUresult cuStreamCopyAttributes(CUstream dst, CUstream src) {
  return Copy<"cuStreamCopyAttributes">(dst, src);
}

CUresult cuStreamGetAttribute_ptsz(CUstream hStream, CUstreamAttrID attr,
                                   CUstreamAttrValue* value_out) {
  return Get<"cuStreamGetAttribute_ptsz", kPtsz>(hStream, attr, value_out);
}

CUresult cuStreamSetAttribute_ptsz(CUstream hStream, CUstreamAttrID attr,
                                   const CUstreamAttrValue* value) {
  return Set<"cuStreamSetAttribute_ptsz", kPtsz>(hStream, attr, value);
}

CUresult cuStreamCopyAttributes_ptsz(CUstream dst, CUstream src) {
  return Copy<"cuStreamCopyAttributes_ptsz", kPtsz>(dst, src);
}

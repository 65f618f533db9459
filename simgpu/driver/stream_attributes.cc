// SPDX-License-Identifier: Apache-2.0
// Attributes of streams.
#include "simgpu/stream/stream_attributes.h"

#include "simgpu/driver/driver_body.h"

namespace dltap::simgpu::body {

Error StreamGetAttribute(Stream& stream, CUstreamAttrID attribute,
                         CUstreamAttrValue* value) {
  return GetStreamAttribute(stream, attribute, value);
}

Error StreamSetAttribute(Stream& stream, CUstreamAttrID attribute,
                         const CUstreamAttrValue* value) {
  return SetStreamAttribute(stream, attribute, value);
}

Error StreamCopyAttributes(DefaultStream null, CUstream target,
                           CUstream source) {
  Stream* to = ResolveStream(target, null);
  const Stream* from = ResolveStream(source, null);
  return to == nullptr || from == nullptr ? Error::kInvalidHandle
                                          : CopyStreamAttributes(*from, *to);
}

}  // namespace dltap::simgpu::body

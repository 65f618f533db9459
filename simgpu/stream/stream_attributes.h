// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_STREAM_STREAM_ATTRIBUTES_H_
#define DLTAP_SIMGPU_STREAM_STREAM_ATTRIBUTES_H_

#include "simgpu/base/error.h"

namespace dltap::simgpu {

struct Stream;

// kInvalidValue: not an attribute of a stream.
Error SetStreamAttribute(Stream& stream, int id, const void* value);
Error GetStreamAttribute(const Stream& stream, int id, void* value);
Error CopyStreamAttributes(const Stream& from, Stream& to);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_STREAM_STREAM_ATTRIBUTES_H_

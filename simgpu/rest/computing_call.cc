// SPDX-License-Identifier: Apache-2.0
#include "simgpu/rest/computing_call.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "opmodel/streaming_time.h"
#include "simgpu/base/interned_name.h"
#include "simgpu/launch/library_call.h"

namespace dltap::simgpu {
namespace {

using specs::DType;

const char* TypeName(DType type) {
  switch (type) {
    case DType::kF64: return "double";
    case DType::kF16: return "__half";
    case DType::kBf16: return "__nv_bfloat16";
    case DType::kC64: return "float2";
    case DType::kC128: return "double2";
    default: return "float";
  }
}

}  // namespace

const char* TypedName(std::string_view pattern, DType type) {
  std::string name(pattern);
  for (size_t at; (at = name.find("$T")) != std::string::npos;) {
    name.replace(at, 2, TypeName(type));
  }
  return InternName(name.c_str());
}

Error LaunchStreaming(void* stream, const char* name, double bytes,
                      double latency_ns) {
  const double blocks = std::clamp(std::ceil(bytes / 4096), 1.0, 65535.0);
  const double moving_ns =
      opmodel::StreamingTime(bytes, GpuOfStream(stream)).ns;
  return LaunchLibraryKernel(
      stream, {.name = name,
               .grid = {static_cast<uint32_t>(blocks), 1, 1},
               .registers_per_thread = 48,
               .duration_ns = std::llround(moving_ns + latency_ns)});
}

}  // namespace dltap::simgpu

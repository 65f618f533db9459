// SPDX-License-Identifier: Apache-2.0
#include "simgpu/base/typed_name.h"

#include <string>

#include "simgpu/base/interned_name.h"

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

}  // namespace dltap::simgpu

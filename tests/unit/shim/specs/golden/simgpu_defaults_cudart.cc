// SPDX-License-Identifier: Apache-2.0
// GENERATED from shim/specs/*.toml and the vendor headers by
// gen_entry_points.py. DO NOT EDIT.
#include <toy.h>

#include <cstdint>

#include "entry_points.h"
#include "simgpu/base/default_call.h"

// Weak: a strong definition elsewhere in the same library replaces the default.
// The section tells what was not replaced (simgpu/coverage.py).
#define SIMGPU_DEFAULT                                \
  extern "C" [[gnu::weak, gnu::visibility("default"), \
               gnu::section("simgpu_defaults")]]

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#pragma GCC diagnostic ignored "-Wunused-parameter"

namespace {

using dltap::simgpu::AllocateDefaultHandle;
using dltap::simgpu::CountDefault;
using dltap::specs::EntryPoint;

template <typename T>
[[maybe_unused]] void WriteZero(T* output) {
  if (output != nullptr) *output = T{};
}

template <typename T>
[[maybe_unused]] void WriteHandle(T* output) {
  if (output != nullptr) *output = static_cast<T>(AllocateDefaultHandle());
}

}  // namespace

SIMGPU_DEFAULT toyStatus_t toyBind(toyStream_t stream, int * version, toyStream_t * bound) {
  const int dltap_code = CountDefault(EntryPoint::kToyBind);
  if (dltap_code != 0) return static_cast<toyStatus_t>(dltap_code);
  WriteZero(version);
  WriteHandle(bound);
  return {};
}

SIMGPU_DEFAULT toyStatus_t toyCopy(void * dst, const void * src, size_t width, size_t height, toyCopyKind_t kind, toyStream_t stream) {
  const int dltap_code = CountDefault(EntryPoint::kToyCopy);
  if (dltap_code != 0) return static_cast<toyStatus_t>(dltap_code);
  return {};
}

SIMGPU_DEFAULT const char * toyGetName(toyStatus_t status) {
  CountDefault(EntryPoint::kToyGetName);
  return "";
}

SIMGPU_DEFAULT toyStatus_t toyLaunch_v2(const toyConfig * config, const void * function, toyDim block, double scale) {
  const int dltap_code = CountDefault(EntryPoint::kToyLaunch_v2, toyNotSupported);
  if (dltap_code != 0) return static_cast<toyStatus_t>(dltap_code);
  return {};
}

SIMGPU_DEFAULT toyStatus_t toyMalloc(void ** memory, size_t size) {
  const int dltap_code = CountDefault(EntryPoint::kToyMalloc);
  if (dltap_code != 0) return static_cast<toyStatus_t>(dltap_code);
  WriteZero(memory);
  return {};
}

#undef SIMGPU_DEFAULT

// SPDX-License-Identifier: Apache-2.0
// GENERATED from shim/specs/*.toml and the vendor headers by
// gen_entry_points.py. DO NOT EDIT.
#pragma GCC visibility push(default)
#include <toy.h>
#pragma GCC visibility pop
#include <cupti_runtime_cbid.h>
#include <generated_cuda_runtime_api_meta.h>

#include "simgpu/base/call_params.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

using dltap::simgpu::ActivityWanted;
using dltap::simgpu::ApiDomain;
using dltap::simgpu::CallParams;
using dltap::simgpu::kApiCallbacks;

#define SIMGPU_ENTRY extern "C" [[gnu::visibility("default")]]
#define SIMGPU_BODY extern "C" [[gnu::visibility("hidden")]]
#define SIMGPU_SHOWN [[gnu::noinline, gnu::cold]] static

SIMGPU_BODY toyStatus_t simgpu_body_toyBind(toyStream_t stream, int * version, toyStream_t * bound);
SIMGPU_SHOWN toyStatus_t simgpu_shown_toyBind(toyStream_t stream, int * version, toyStream_t * bound) {
  const CallParams<toyBind_v12000_params> shown{
      {ApiDomain::kRuntime, CUPTI_RUNTIME_TRACE_CBID_toyBind_v12000}, stream, version, bound};
  return simgpu_body_toyBind(stream, version, bound);
}
SIMGPU_ENTRY toyStatus_t toyBind(toyStream_t stream, int * version, toyStream_t * bound) {
  if (ActivityWanted(kApiCallbacks)) [[unlikely]]
    return simgpu_shown_toyBind(stream, version, bound);
  return simgpu_body_toyBind(stream, version, bound);
}

#undef SIMGPU_SHOWN
#undef SIMGPU_BODY
#undef SIMGPU_ENTRY

// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_INJECTION_H_
#define DLTAP_SHIM_TAP_RUNTIME_INJECTION_H_

#include <cstdint>

namespace dltap::shim {

// Whether the driver has brought us in, as CUDA_INJECTION64_PATH tells it to.
enum class Injection : uint8_t {
  kNone,
  kBesidePreload,  // we were there before: nothing to do
  kAlone,          // too late: no call leads to our wrappers
};

Injection InjectionKind();
void NoteInjection(Injection injection);

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_INJECTION_H_

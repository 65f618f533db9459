// SPDX-License-Identifier: Apache-2.0
// GENERATED from shim/specs/*.toml and the vendor headers by
// gen_entry_points.py. DO NOT EDIT.
#include "tap_traits_cudart.h"

#define DLTAP_WRAPPER extern "C" [[gnu::visibility("default")]]
#define DLTAP_RECORDED extern "C" [[gnu::visibility("hidden"), gnu::used]]

namespace {

namespace abi = dltap::shim::abi;
using dltap::shim::Counted;
using dltap::shim::Followed;
using dltap::shim::Traced;
using dltap::specs::EntryPoint;

}  // namespace

DLTAP_WRAPPER int32_t toyBind(void* stream_, void* version_, void* bound_) {
  return Followed<EntryPoint::kToyBind>(stream_, version_, bound_);
}

DLTAP_RECORDED int32_t dltap_recorded_toyCopy(void* dst_, void* src_, uint64_t width_, uint64_t height_, int32_t kind_, void* stream_) {
  return Traced<EntryPoint::kToyCopy>(dst_, src_, width_, height_, kind_, stream_);
}
DLTAP_GATE(toyCopy, 1)

DLTAP_WRAPPER void* toyGetName(int32_t status_) {
  return Counted<EntryPoint::kToyGetName>(status_);
}

DLTAP_RECORDED int32_t dltap_recorded_toyLaunch_v2(void* config_, void* function_, abi::toyDim block_, double scale_) {
  return Traced<EntryPoint::kToyLaunch_v2>(config_, function_, block_, scale_);
}
DLTAP_GATE_WITH_HOOK(toyLaunch_v2, 3)

DLTAP_RECORDED int32_t dltap_recorded_toyMalloc(void* memory_, uint64_t size_) {
  return Traced<EntryPoint::kToyMalloc>(memory_, size_);
}
DLTAP_GATE(toyMalloc, 4)

#undef DLTAP_RECORDED
#undef DLTAP_WRAPPER

// SPDX-License-Identifier: Apache-2.0
// Here names are those of the exported functions, not of their bodies.
#include "simgpu/driver/proc_addresses.h"

#include "simgpu/driver/driver_header.h"

namespace dltap::simgpu {
namespace {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
const ProcAddress kProcAddresses[] = {
#define DLTAP_ROW(base, version, per_thread, symbol) \
  {base, version, per_thread, #symbol, reinterpret_cast<void*>(&symbol)},
#include "proc_addresses.inc"
#undef DLTAP_ROW
};
#pragma GCC diagnostic pop

}  // namespace

std::span<const ProcAddress> ProcAddresses() { return kProcAddresses; }

}  // namespace dltap::simgpu

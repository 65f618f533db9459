// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUPTI_TOOLKIT_H_
#define DLTAP_SIMGPU_CUPTI_TOOLKIT_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace dltap::simgpu {

// What cuptiGetVersion of a toolkit ("12.4") answers; nullopt: unknown. A
// release without a number of its own answers that of the one before it.
std::optional<uint32_t> ApiVersionOf(std::string_view toolkit);

// Of this process: DLTAP_SIM_CUPTI_VERSION, else the one this library is built
// as. Read once.
uint32_t CuptiApiVersion();

// Has it activity functions for one subscriber (..._v2)? They exclude those
// that serve the whole process.
bool HasScopedActivity();

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUPTI_TOOLKIT_H_

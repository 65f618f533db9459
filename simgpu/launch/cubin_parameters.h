// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_LAUNCH_CUBIN_PARAMETERS_H_
#define DLTAP_SIMGPU_LAUNCH_CUBIN_PARAMETERS_H_

#include <optional>
#include <string_view>
#include <vector>

#include "simgpu/launch/kernel_parameter.h"

namespace dltap::simgpu {

// The parameters of a kernel, in order, from its section ".nv.info.NAME" of a
// cubin. nullopt: the section does not read as expected. `cuobjdump --dump-elf`
// names its attributes; their bytes were found by compiling PTX of known
// parameters with ptxas 13.0 for sm_75 to sm_100:
//   u8 format, u8 attribute, then by format: 1, 2, 3: u16; 4: u16 n, n bytes
//   attribute 0x19, format 3: bytes of all parameters
//   attribute 0x17, format 4: u32 index, u16 ordinal, u16 offset, u32 (the
//                             upper 14 bits: bytes of this parameter)
std::optional<std::vector<KernelParameter>> ReadCubinParameters(
    std::string_view section);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_LAUNCH_CUBIN_PARAMETERS_H_

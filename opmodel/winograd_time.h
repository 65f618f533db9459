// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_OPMODEL_WINOGRAD_TIME_H_
#define DLTAP_OPMODEL_WINOGRAD_TIME_H_

#include <optional>

#include "opmodel/conv_shape.h"

namespace dltap::opmodel {

// Lavin and Gray 2015: F(2x2, 3x3) needs 16 instead of 36 multiplications,
// F(4x4, 3x3) 36 instead of 144. The small one runs in one kernel, the big one
// as 36 GEMMs between transforms through a workspace.
struct WinogradTime {
  double compute_ns;  // without launch floor and compulsory traffic
  double workspace_bytes;
};

// `gemm` is ImplicitGemmOf the same convolution. nullopt: the library has no
// such engine for this filter, direction or GPU. REQUIRES: unit stride, 2-D,
// one group.
std::optional<WinogradTime> FusedWinograd(const ConvShape& conv,
                                          const GemmShape& gemm,
                                          const GpuSpec& gpu);
std::optional<WinogradTime> NonfusedWinograd(const ConvShape& conv,
                                             const GemmShape& gemm,
                                             const GpuSpec& gpu);

}  // namespace dltap::opmodel

#endif  // DLTAP_OPMODEL_WINOGRAD_TIME_H_

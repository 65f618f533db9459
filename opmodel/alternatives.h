// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_OPMODEL_ALTERNATIVES_H_
#define DLTAP_OPMODEL_ALTERNATIVES_H_

#include <string_view>
#include <vector>

#include "opmodel/gpu_table.h"
#include "opmodel/modelled_time.h"
#include "opmodel/operation.h"

namespace dltap::opmodel {

// One engine that can run an operation, as a library's heuristics would list
// it. `flops` are the ones it executes (Winograd and FFT do fewer than the
// direct count of CostOf).
struct Alternative {
  std::string_view name;  // "implicit_gemm", "winograd_4x4", ...; static
  double ns;
  Bound bound;
  double workspace_bytes;
  double flops;
};

// Fastest first; at least three for convolutions and GEMMs, at least one for
// any other operation of known shape. Empty when the shape is unknown.
// The first entry's time is TimeOf(op, gpu).
std::vector<Alternative> AlternativesOf(const Operation& op,
                                        const GpuSpec& gpu);

}  // namespace dltap::opmodel

#endif  // DLTAP_OPMODEL_ALTERNATIVES_H_

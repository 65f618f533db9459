// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_OPMODEL_ALTERNATIVE_H_
#define DLTAP_OPMODEL_ALTERNATIVE_H_

#include <string_view>

#include "opmodel/modelled_time.h"

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

}  // namespace dltap::opmodel

#endif  // DLTAP_OPMODEL_ALTERNATIVE_H_

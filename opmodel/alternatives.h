// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_OPMODEL_ALTERNATIVES_H_
#define DLTAP_OPMODEL_ALTERNATIVES_H_

#include <vector>

#include "opmodel/alternative.h"
#include "opmodel/gpu_table.h"
#include "opmodel/operation.h"

namespace dltap::opmodel {

// Fastest first; at least three for convolutions and GEMMs, at least one for
// any other operation of known shape. Empty when the shape is unknown.
// The first entry's time is TimeOf(op, gpu).
std::vector<Alternative> AlternativesOf(const Operation& op,
                                        const GpuSpec& gpu);

}  // namespace dltap::opmodel

#endif  // DLTAP_OPMODEL_ALTERNATIVES_H_

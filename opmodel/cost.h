// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_OPMODEL_COST_H_
#define DLTAP_OPMODEL_COST_H_

#include <optional>

#include "opmodel/operation.h"

namespace dltap::opmodel {

// Work of one operation, independent of the GPU.
struct Cost {
  double flops;  // algorithmic (direct) count, multiply and add are two
  double bytes;  // compulsory device-memory traffic: each tensor once
};

// nullopt when the dimensions that the kind needs are not all known.
std::optional<Cost> CostOf(const Operation& op);

}  // namespace dltap::opmodel

#endif  // DLTAP_OPMODEL_COST_H_

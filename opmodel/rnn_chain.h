// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_OPMODEL_RNN_CHAIN_H_
#define DLTAP_OPMODEL_RNN_CHAIN_H_

#include <optional>
#include <vector>

#include "opmodel/gpu_table.h"
#include "opmodel/modelled_time.h"
#include "opmodel/operation.h"

namespace dltap::opmodel {

// Kernels of one RNN call. Numbered for tables of kernel names.
enum class RnnKernelRole : uint8_t {
  kInputGemm = 0,      // x W of all time steps of a layer at once
  kRecurrentGemm = 1,  // h U of one time step
  kProjectionGemm = 2,
  kCell = 3,        // activations of one time step
  kWeightGemm = 4,  // dW of all time steps at once
};

struct RnnKernel {
  RnnKernelRole role;
  ModelledTime time;
  double flops;
};

// `repeats` times, in order: each kernel of `kernels`. Kernels of one stream;
// a stage begins when the one before has ended.
struct RnnStage {
  int64_t repeats;
  std::vector<RnnKernel> kernels;
};

// The chain a simulated library launches; the sum of all kernels is
// TimeOf(op, gpu). nullopt when the shape is unknown.
std::optional<std::vector<RnnStage>> RnnChainOf(const Operation& op,
                                                const GpuSpec& gpu);

}  // namespace dltap::opmodel

#endif  // DLTAP_OPMODEL_RNN_CHAIN_H_

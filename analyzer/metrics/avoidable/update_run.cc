// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/avoidable/update_run.h"

namespace dltap::analyzer {

void UpdateRun::Add(const UpdateKernel& kernel) {
  const bool is_fused = kernel.of == UpdateKernel::Of::kWholeUpdate;
  const bool of_lists = kernel.of == UpdateKernel::Of::kList;
  const bool moves_weights = kernel.last_of_adam || kernel.sums_lists;
  if ((is_fused || (of_lists && moves_weights)) && !update_at_) {
    update_at_ = kernels_.size();
  }
  is_fused_ |= is_fused;
  has_tensor_adam_ |=
      kernel.of == UpdateKernel::Of::kTensor && kernel.last_of_adam;
  kernels_.push_back(kernel);
}

std::optional<UpdateRun::Side> UpdateRun::SideOf(size_t kernel) const {
  if (!update_at_ || has_tensor_adam_) return std::nullopt;
  const UpdateKernel::Of of = kernels_[kernel].of;
  if (of == UpdateKernel::Of::kWholeUpdate) return std::nullopt;
  // Of lists, those of the update itself are not told from others.
  if (of == UpdateKernel::Of::kList && !is_fused_) return std::nullopt;
  return kernel < *update_at_ ? Side::kBefore : Side::kAfter;
}

}  // namespace dltap::analyzer

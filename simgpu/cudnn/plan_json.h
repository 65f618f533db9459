// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUDNN_PLAN_JSON_H_
#define DLTAP_SIMGPU_CUDNN_PLAN_JSON_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "simgpu/cudnn/op_kernels.h"

namespace dltap::simgpu {

// What an execution plan keeps as CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION
// and can be made of again, in another process too (XLA does so for each plan).
struct SavedPlan {
  int64_t engine_index = 0;
  std::string engine_name;
  int64_t workspace_bytes = 0;
  KernelList kernels;
};

std::string ToJson(const SavedPlan& plan);

// nullopt: not a text of ToJson() of this version.
std::optional<SavedPlan> PlanFromJson(std::string_view json);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUDNN_PLAN_JSON_H_

// SPDX-License-Identifier: Apache-2.0
// Whether the sub-libraries of cuDNN 8 fit together. They are one library.
#include "shim/specs/supplement/cudnn_removed.h"
#include "simgpu/cudnn/objects.h"

namespace dltap::simgpu {
namespace {

template <ApiName kName>
cudnnStatus_t Fits() {
  return CudnnEntry(FunctionOf<"cudnn", kName>(),
                    [] { return CUDNN_STATUS_SUCCESS; });
}

}  // namespace

SIMGPU_API cudnnStatus_t cudnnOpsInferVersionCheck() {
  return Fits<"cudnnOpsInferVersionCheck">();
}
SIMGPU_API cudnnStatus_t cudnnOpsTrainVersionCheck() {
  return Fits<"cudnnOpsTrainVersionCheck">();
}
SIMGPU_API cudnnStatus_t cudnnCnnInferVersionCheck() {
  return Fits<"cudnnCnnInferVersionCheck">();
}
SIMGPU_API cudnnStatus_t cudnnCnnTrainVersionCheck() {
  return Fits<"cudnnCnnTrainVersionCheck">();
}
SIMGPU_API cudnnStatus_t cudnnAdvInferVersionCheck() {
  return Fits<"cudnnAdvInferVersionCheck">();
}
SIMGPU_API cudnnStatus_t cudnnAdvTrainVersionCheck() {
  return Fits<"cudnnAdvTrainVersionCheck">();
}

}  // namespace dltap::simgpu

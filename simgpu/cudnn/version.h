// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUDNN_VERSION_H_
#define DLTAP_SIMGPU_CUDNN_VERSION_H_

namespace dltap::simgpu {

// The release of cuDNN that is simulated: DLTAP_SIM_CUDNN_VERSION, else the
// newest that a framework we run asks for, or the last that knows the GPU.
// Programs refuse one that is older than what they were built with, and run
// with any newer of its major version.
struct CudnnVersion {
  int major;
  int minor;
  int patch;

  // cuDNN 8 and older: 8902.
  int number() const {
    return (major < 9 ? 1000 : 10000) * major + 100 * minor + patch;
  }
};
const CudnnVersion& SimulatedCudnn();

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUDNN_VERSION_H_

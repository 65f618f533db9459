// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_STREAM_INJECTION_H_
#define DLTAP_SIMGPU_STREAM_INJECTION_H_

namespace dltap::simgpu {

// As the driver does when it is initialized: loads the library that
// CUDA_INJECTION64_PATH names and calls its InitializeInjection(), once in a
// process. What cannot be loaded is passed over. The caller holds no lock.
void LoadInjection();

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_STREAM_INJECTION_H_

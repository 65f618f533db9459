// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUDNN_OP_KERNELS_H_
#define DLTAP_SIMGPU_CUDNN_OP_KERNELS_H_

#include <string_view>
#include <vector>

#include "opmodel/alternatives.h"
#include "opmodel/gpu_table.h"
#include "opmodel/operation.h"
#include "simgpu/launch/library_call.h"

namespace dltap::simgpu {

using KernelList = std::vector<LibraryKernel>;

// One way to run an operation: an engine of the graph API, an algorithm of the
// legacy one.
struct Engine {
  opmodel::Operation op;
  std::string_view name;  // of opmodel's alternative; static
  double ns = 0;
  double transform_ns = 0;  // of them: from NCHW to NHWC and back
  double workspace_bytes = 0;
};

// Every engine for the operation, fastest first, at least three: FP32 storage
// gets the ones that use TF32 and those that do not.
std::vector<Engine> EnginesOf(const opmodel::Operation& op,
                              const opmodel::GpuSpec& gpu);

// What the layout makes of a convolution's engines. cuDNN's tensor-core kernels
// (half precision and TF32) work on NHWC; tensors in NCHW, which are
// `nchw_bytes` large together, are transformed, except for those for many
// groups. NHWC lacks some of these.
void AdaptToLayout(double nchw_bytes, const opmodel::GpuSpec& gpu,
                   std::vector<Engine>& engines);

// The kernels that the vendor's library would start, in order; their times add
// up to the engine's.
KernelList KernelsOf(const Engine& engine, const opmodel::GpuSpec& gpu);

// Those of the fastest engine of this operation as it stands. Remembered: the
// result lives for ever. Thread-safe.
const KernelList& KernelsOf(const opmodel::Operation& op,
                            const opmodel::GpuSpec& gpu);

Error LaunchKernels(void* stream, const KernelList& kernels);

// The parts of KernelsOf() by kind of operation.
KernelList ConvKernels(const Engine& engine, const opmodel::GpuSpec& gpu);
KernelList RnnKernels(const Engine& engine, const opmodel::GpuSpec& gpu);
KernelList AttentionKernels(const Engine& engine, const opmodel::GpuSpec& gpu);

// A kernel of the usual geometry for `elements` outputs.
LibraryKernel KernelFor(const char* name, double elements, double ns);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUDNN_OP_KERNELS_H_

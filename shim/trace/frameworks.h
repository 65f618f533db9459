// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TRACE_FRAMEWORKS_H_
#define DLTAP_SHIM_TRACE_FRAMEWORKS_H_

#include <array>

namespace dltap::trace {

// A framework as a Libraries record names it, and how it is told in a process:
// a file of its package that is mapped only by who uses a GPU.
struct Framework {
  char name[16];
  char file[40];          // from the folder that the package lies in
  char distribution[16];  // as its .dist-info folder is called there
};
inline constexpr std::array kFrameworks = {
    Framework{"torch", "/torch/lib/libtorch_cuda.so", "torch"},
    Framework{"tensorflow", "/tensorflow/libtensorflow_cc.so", "tensorflow"},
    Framework{"jax", "/jax_plugins/xla_cuda", "jax"},
    Framework{"mxnet", "/mxnet/libmxnet.so", "mxnet"},
};

}  // namespace dltap::trace

#endif  // DLTAP_SHIM_TRACE_FRAMEWORKS_H_

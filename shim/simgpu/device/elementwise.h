// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SIMGPU_DEVICE_ELEMENTWISE_H_
#define DLTAP_SHIM_SIMGPU_DEVICE_ELEMENTWISE_H_

namespace dltap::simgpu {

// Bytes that one launch of PyTorch's vectorized_elementwise_kernel or
// unrolled_elementwise_kernel moves: elements (its first argument) x operands
// (the length of its pointer array) x size of an element (of the functor's
// types). 0: another kernel, or its arguments are not given one by one.
double ElementwiseBytes(const char* mangled_name, void* const* arguments);

}  // namespace dltap::simgpu

#endif  // DLTAP_SHIM_SIMGPU_DEVICE_ELEMENTWISE_H_

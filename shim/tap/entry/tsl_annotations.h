// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_TSL_ANNOTATIONS_H_
#define DLTAP_SHIM_TAP_ENTRY_TSL_ANNOTATIONS_H_

namespace dltap::shim::nvtx {

// TensorFlow names each operation that it runs, in an NVTX range of the domain
// "TSL" such as "gradient_tape/model/dense/MatMul:MatMul", but only while its
// annotations are on: its own profiler turns them on when it starts. Turns them
// on as that does, if `caller`, who has just made the domain `name`, lies in
// the library that has the switch. XLA in JAX hides it, and needs none.
// Source: openxla/xla, xla/tsl/profiler/{lib/scoped_annotation.h,backends/cpu/
// annotation_stack.cc}; AnnotatedTraceMe of tensorflow/core/common_runtime/
// executor.cc.
bool TurnOnAnnotations(const char* name, const void* caller);

}  // namespace dltap::shim::nvtx

#endif  // DLTAP_SHIM_TAP_ENTRY_TSL_ANNOTATIONS_H_

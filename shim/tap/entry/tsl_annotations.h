// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_TSL_ANNOTATIONS_H_
#define DLTAP_SHIM_TAP_ENTRY_TSL_ANNOTATIONS_H_

namespace dltap::shim::nvtx {

// TensorFlow names each operation that it runs, in an NVTX range of the domain
// "TSL" such as "gradient_tape/model/dense/MatMul:MatMul", but only while its
// annotations are on: its own profiler turns them on when it starts. Turns them
// on as that does, if DLTAP_TF_NAMES asks for it, kernels are recorded, and
// `caller`, who has just made the domain `name`, lies in the library that
// exports the switch: it is found in that library's own table, and on the
// thread that runs in it, so that it cannot go meanwhile. XLA in JAX hides the
// switch, and needs none. True: they are on.
// The switch is a flag, no count: the host's profiler finds it as it would have
// left it, and turns it off when it stops. Where an NVTX tool has made the
// domain, names go to it alone, and that profiler's annotations stay as they
// are. The name stands for (bool) and nothing else; older TensorFlow sets
// the flag inline and has no such function. Source: openxla/xla, xla/tsl/
// profiler/{lib/scoped_annotation.h,backends/cpu/annotation_stack.cc};
// AnnotatedTraceMe of tensorflow/core/common_runtime/executor.cc.
bool TurnOnAnnotations(const char* name, const void* caller);

}  // namespace dltap::shim::nvtx

#endif  // DLTAP_SHIM_TAP_ENTRY_TSL_ANNOTATIONS_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_TAGGING_OBJECT_HOOKS_H_
#define DLTAP_SHIM_TAP_TAGGING_OBJECT_HOOKS_H_

#include <cstdint>

#include "vocabulary.h"

// Hooks that follow opaque objects and hand on what happens to them. What a
// hook is: shim/tap/entry/hook_call.h.
namespace dltap::shim::hooks {

// cuDNN backend graph API: descriptors are shadowed, because the library's own
// getters cannot recover the operations of a finalized graph.
struct CudnnBackendCreate {
  static void After(int32_t status, int32_t type, void* descriptor_out);
};
struct CudnnBackendSet {
  static void After(int32_t status, void* descriptor, int32_t name,
                    int32_t type, int64_t count, const void* elements);
};
struct CudnnBackendGet {
  static void After(int32_t status, void* descriptor, int32_t name,
                    int32_t type, int64_t requested, void* count,
                    void* elements);
};
struct CudnnBackendDestroy {
  static void Before(void* descriptor);
};

// Packs where the tensors of the leading node lie, the workspace, its size, and
// `operation`: the id of the plan's operation definition. 0 where unknown.
struct CudnnExecute {
  static void Pack(uint8_t* at, void* plan, void* pack);
  static specs::LayerClass Class(void* plan, void* pack);
};

// A library handle got a stream. Noted in the trace only when it changes:
// PyTorch sets it again before nearly every call.
struct HandleStream {
  static void After(int32_t status, void* handle, void* stream);
};
struct HandleGone {
  static void Before(void* handle);
};

// Names of kernels, for launches that the activity source does not see.
struct RegisterFunction {
  static void After(void* fat_binary, const void* stub, const void* name);
};
struct UnregisterFatBinary {
  static void Before(void* fat_binary);
};
struct NamedFunction {
  static void After(int32_t status, void* function_out, const void* name);
};
struct FunctionAlias {
  static void After(int32_t status, void* function_out, const void* source);
};

// A stream capture begins: from now on graph nodes must be seen, and calls of
// the thread are marked as captured until it ends the capture.
struct CaptureBegin {
  static void Before();
  static void After(int32_t status);
};
struct CaptureEnd {
  static void After(int32_t status);
};
// A graph will be built node by node.
struct GraphBegin {
  static void Before();
};

}  // namespace dltap::shim::hooks

#endif  // DLTAP_SHIM_TAP_TAGGING_OBJECT_HOOKS_H_

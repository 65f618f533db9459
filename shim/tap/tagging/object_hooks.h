// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_TAGGING_HOOKS_H_
#define DLTAP_SHIM_TAP_TAGGING_HOOKS_H_

#include <cstdint>
#include <cstring>

// Hooks: what the specs attach to entry points whose meaning lies in opaque
// objects. A hook has only static members, each optional:
//   Before(selected...)          before the real call, also while off
//   After(result, selected...)   after it, also while off
//   Pack(at, selected...)        stores the packed field of a record, the u32
//   id
//                                of an operation, after a recorded call that
//                                succeeded. (After a failure the arguments may
//                                be no objects at all, and a getter would
//                                replace the library's last error message.)
// `selected` are the arguments named by `hook_args`, as the wrapper's ABI types
// (pointers and handles void*, enums int32_t). Hooks never fail, never block
// longer than a bounded spin, and may call the vendor's getters.
namespace dltap::shim {

// A member that exists but does not take the selected arguments is an error in
// the spec. (Overloaded members are not checked.)
template <typename Hook, typename... Args>
inline void CallBefore(Args... args) {
  if constexpr (requires { Hook::Before(args...); }) {
    Hook::Before(args...);
  } else {
    static_assert(
        !requires { &Hook::Before; }, "see hook_args in the spec");
  }
}

// `args` begins with the result unless the function returns void.
template <typename Hook, typename... Args>
inline void CallAfter(Args... args) {
  if constexpr (requires { Hook::After(args...); }) {
    Hook::After(args...);
  } else {
    static_assert(
        !requires { &Hook::After; }, "see hook_args in the spec");
  }
}

template <typename Hook, typename... Args>
inline void CallPack(uint8_t* at, bool succeeded, Args... args) {
  if constexpr (requires { Hook::Pack(at, args...); }) {
    if (succeeded) [[likely]] {
      Hook::Pack(at, args...);
    } else {
      memset(at, 0, sizeof(uint32_t));  // no operation
    }
  } else {
    static_assert(
        !requires { &Hook::Pack; }, "see hook_args in the spec");
  }
}

namespace hooks {

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

// Packs `operation`: the id of the plan's operation definition, 0 if unknown.
struct CudnnExecute {
  static void Pack(uint8_t* at, void* plan);
};

// Legacy cuDNN: dimensions are read back with the vendor's getters. All pack
// `operation`.
struct CudnnConvForward {
  static void Pack(uint8_t* at, void* x, void* w, void* conv, void* y);
};
struct CudnnConvBackwardData {
  static void Pack(uint8_t* at, void* w, void* dy, void* conv, void* dx);
};
struct CudnnConvBackwardFilter {
  static void Pack(uint8_t* at, void* x, void* dy, void* conv, void* dw);
};
struct CudnnPoolForward {
  static void Pack(uint8_t* at, void* x, void* y);
};
struct CudnnPoolBackward {
  static void Pack(uint8_t* at, void* x, void* y);
};
struct CudnnSoftmaxForward {
  static void Pack(uint8_t* at, void* x, void* y);
};
struct CudnnSoftmaxBackward {
  static void Pack(uint8_t* at, void* y, void* dx);
};
struct CudnnActivationForward {
  static void Pack(uint8_t* at, void* x, void* y);
};
struct CudnnActivationBackward {
  static void Pack(uint8_t* at, void* x, void* y);
};
struct CudnnDropoutForward {
  static void Pack(uint8_t* at, void* x, void* y);
};
struct CudnnDropoutBackward {
  static void Pack(uint8_t* at, void* dy, void* dx);
};
struct CudnnNormForward {
  static void Pack(uint8_t* at, void* x, void* y);
};
struct CudnnNormBackward {
  static void Pack(uint8_t* at, void* x, void* dx);
};
struct CudnnPointwise {
  static void Pack(uint8_t* at, void* in, void* out);
};
struct CudnnLayout {
  static void Pack(uint8_t* at, void* in, void* out);
};
struct CudnnReduction {
  static void Pack(uint8_t* at, void* in, void* out);
};
struct CudnnRnnForward {
  static void Pack(uint8_t* at, void* rnn, void* data);
};
struct CudnnRnnBackwardData {
  static void Pack(uint8_t* at, void* rnn, void* data);
};
struct CudnnRnnBackwardWeights {
  static void Pack(uint8_t* at, void* rnn, void* data);
};

// Packs `operation`: the GEMM, and a pointwise node when it has an epilogue.
struct CublasLtMatmul {
  static void Pack(uint8_t* at, void* compute, void* a, void* b, void* c,
                   void* d);
};

// A library handle got a stream. Noted in the trace only when it changes:
// PyTorch sets it again before nearly every call.
struct HandleStream {
  static void After(int32_t status, void* handle, void* stream);
};
struct HandleGone {
  static void Before(void* handle);
};

// Names of kernels, for launches that CUPTI does not see.
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

// cudaProfilerStart and Stop open and close the recording window under
// DLTAP_START=off. Defined in shim/tap/entry/window_hooks.cc.
struct ProfilerStart {
  static void After(int32_t status);
};
struct ProfilerStop {
  static void Before();
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

}  // namespace hooks
}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_TAGGING_HOOKS_H_

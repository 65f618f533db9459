// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BASE_THREAD_STATE_H_
#define DLTAP_SIMGPU_BASE_THREAD_STATE_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "simgpu/base/launch_geometry.h"

namespace dltap::simgpu {

struct ApiFunction;
struct Context;
struct OrderPoint;
struct Stream;
struct WriteTarget;

constexpr int kMaxDevices = 16;

// Numbered as cudaStreamCaptureMode and CUstreamCaptureMode.
enum class CaptureMode : int { kGlobal = 0, kThreadLocal = 1, kRelaxed = 2 };

// What <<<grid, block, shared, stream>>> pushed and its stub has yet to pop.
struct CallConfiguration {
  Dim3 grid;
  Dim3 block;
  size_t shared_bytes;
  void* stream;
};

// All that the CUDA API keeps per host thread. Made at the thread's first call,
// freed when the thread ends.
struct ThreadState {
  uint32_t thread_id = 0;  // gettid
  // The runtime's current device. The context stack's top, where there is one,
  // agrees with it.
  int device = 0;
  int driver_error = 0;         // Error of the driver's last failed call, and
  int driver_result = 0;        // the CUresult that it became
  int last_error = 0;           // of the runtime API; see cudart/runtime_call.h
  int nested_calls = 0;         // open NestedCalls (api_scope.h)
  uint32_t correlation_id = 0;  // of the innermost open API record
  CaptureMode capture_mode = CaptureMode::kGlobal;  // of this thread's calls
  int strict_captures = 0;  // begun by this thread, not relaxed, still open
  // A host function of the client's is running: it may not call CUDA.
  bool in_host_function = false;
  // Of the memory effect that is carried out; null: none is (work_order.h).
  const std::shared_ptr<const OrderPoint>* order = nullptr;
  // Where the library call under way may write (library_call.h); null:
  // anywhere.
  const std::vector<WriteTarget>* may_write = nullptr;
  // A number that nobody computed was copied to the host (uncomputed_reads.h).
  bool has_uncomputed_read = false;
  bool puts_work = false;     // has put some on a stream
  uint32_t idle_calls = 0;    // cheap ones, of a thread that does not,
  int64_t idle_since_ns = 0;  // since the clock showed this
  uint64_t uncomputed_value = 0;
  std::vector<Context*> contexts;
  std::vector<CallConfiguration> configurations;
  std::array<Stream*, kMaxDevices> per_thread_streams{};
  std::atomic<uint64_t>* counts = nullptr;  // counters.h
  ApiFunction* call_as = nullptr;           // of the next call; CallAs
};

// A plain pointer: the static TLS block has little room for a library that is
// opened with dlopen.
extern constinit thread_local ThreadState* t_state
    [[gnu::tls_model("initial-exec")]];

[[gnu::noinline, gnu::cold]] ThreadState& MakeThreadState();

inline ThreadState& CurrentThread() {
  if (t_state != nullptr) [[likely]]
    return *t_state;
  return MakeThreadState();
}

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BASE_THREAD_STATE_H_

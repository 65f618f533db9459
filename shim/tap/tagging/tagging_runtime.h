// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_TAGGING_TAGGING_RUNTIME_H_
#define DLTAP_SHIM_TAP_TAGGING_TAGGING_RUNTIME_H_

#include <atomic>
#include <cstdint>
#include <span>

#include "shim/trace/losses.h"

namespace dltap::shim::tagging {

// What tagging needs of the runtime, as function pointers that the runtime
// fills before the first wrapped call, so that tests put a fake there. All are
// called from application threads (`define_function` from the collector) and
// must not block. A null pointer means: not available.
struct TaggingRuntime {
  // Number of the running session, 1..2^16-1, 0 while there is none: what was
  // defined in an older one (before a fork) must be defined again.
  uint32_t (*session)() = nullptr;
  // Commits an operation definition; `nodes` are encoded as FORMAT.md says.
  // False when it could not be written: then the id must not be used.
  bool (*define_operation)(uint32_t id, uint16_t node_count,
                           std::span<const uint8_t> nodes) = nullptr;
  // Commits that launches of `handle` run the kernel `name` (mangled).
  bool (*define_function)(uint64_t handle, const char* name,
                          uint32_t length) = nullptr;
  // Writes "this handle now works on this stream" into the calling thread's
  // ring. False when nothing is recorded now.
  bool (*note_stream)(uint64_t handle, uint64_t stream) = nullptr;
  // Writes "the launch of `kernel` that the calling thread records next
  // computes this" into its ring. False when nothing is recorded now.
  bool (*note_operation)(uint64_t kernel, uint32_t operation) = nullptr;
  // The vendor's function of that name, or nullptr. Not one of our wrappers.
  void* (*real)(const char* symbol) = nullptr;
  // Has the process several copies of the vendor's library of that function?
  // Takes the loader's lock.
  bool (*has_copies)(const char* symbol) = nullptr;
  // Graph nodes must be seen from now on. Cheap when called again.
  void (*capture_begins)() = nullptr;
  // The calling thread has begun to capture a stream; has ended that, or failed
  // to.
  void (*capture_began)() = nullptr;
  void (*capture_ended)(bool failed) = nullptr;
  void (*lost)(trace::LossKind loss) = nullptr;
};

extern constinit TaggingRuntime g_runtime;

inline void CountLoss(trace::LossKind loss) {
  if (g_runtime.lost != nullptr) g_runtime.lost(loss);
}

// Raised when a library was unloaded: what was looked up may be gone.
extern constinit std::atomic<uint32_t> g_unloads;
inline void ForgetRealFunctions() {
  g_unloads.fetch_add(1, std::memory_order_relaxed);
}

// The vendor's function, looked up once and again after an unload.
template <typename Function>
class RealFunction {
 public:
  constexpr explicit RealFunction(const char* symbol) : symbol_(symbol) {}

  // nullptr when the library lacks it.
  Function Get() {
    const uint32_t unloads = g_unloads.load(std::memory_order_relaxed);
    const bool is_old = unloads_.load(std::memory_order_acquire) != unloads;
    void* known = known_.load(std::memory_order_relaxed);
    if ((known == nullptr || is_old) && g_runtime.real != nullptr) {
      known = g_runtime.real(symbol_);
      known_.store(known, std::memory_order_relaxed);
      unloads_.store(unloads, std::memory_order_release);
    }
    return reinterpret_cast<Function>(known);
  }

 private:
  const char* symbol_;
  std::atomic<void*> known_{nullptr};
  std::atomic<uint32_t> unloads_{0};  // when it was looked up
};

}  // namespace dltap::shim::tagging

#endif  // DLTAP_SHIM_TAP_TAGGING_TAGGING_RUNTIME_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_RUNTIME_FLOAT_STATE_H_
#define DLTAP_SHIM_TAP_RUNTIME_FLOAT_STATE_H_

#include <cstdint>

// How a thread's floating-point unit rounds, what it flushes to zero, which
// exceptions trap and which have been raised. A new thread begins with that of
// the one that made it.
namespace dltap::shim {

#if defined(__x86_64__)

struct FloatState {
  uint32_t sse;     // MXCSR
  uint32_t x87[7];  // FSTENV
};

inline void SaveFloatState(FloatState* state) {
  asm volatile("stmxcsr %0" : "=m"(state->sse));
  asm volatile("fnstenv %0" : "=m"(state->x87));  // and masks all
}

inline void LoadFloatState(const FloatState& state) {
  asm volatile("fldenv %0" : : "m"(state.x87));
  asm volatile("ldmxcsr %0" : : "m"(state.sse));
}

// As a program begins: nothing traps, to nearest.
inline void ResetFloatState() {
  constexpr uint32_t kDefault = 0x1f80;
  asm volatile("fninit");
  asm volatile("ldmxcsr %0" : : "m"(kDefault));
}

#elif defined(__aarch64__)

struct FloatState {
  uint64_t control, raised;
};

inline void SaveFloatState(FloatState* state) {
  asm volatile("mrs %0, fpcr" : "=r"(state->control));
  asm volatile("mrs %0, fpsr" : "=r"(state->raised));
}

inline void LoadFloatState(const FloatState& state) {
  asm volatile("msr fpcr, %0" : : "r"(state.control));
  asm volatile("msr fpsr, %0" : : "r"(state.raised));
}

inline void ResetFloatState() {
  asm volatile("msr fpcr, xzr\n\tmsr fpsr, xzr");
}

#endif

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_RUNTIME_FLOAT_STATE_H_

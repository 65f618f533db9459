// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_CALL_STACK_H_
#define DLTAP_SHIM_TAP_ENTRY_CALL_STACK_H_

#include <cstdint>

#include "shim/tap/entry/memory_view.h"
#include "shim/tap/entry/site_definition.h"

namespace dltap::shim {

// What a walk needs of the loader, found once: variables and functions of its
// own, without which there is none.
struct LoaderFunctions {
  // glibc 2.35; takes no lock, and the object stays while we run in it.
  int (*find_object)(void* pc, void* found) = nullptr;
  uintptr_t main_stack_end = 0;
};

// The return addresses of a call, innermost first, and where each lies: its
// distance from the stack pointer of the innermost frame.
struct StackPath {
  static constexpr int kMostFrames = SiteDefinition::kMostFrames;
  static constexpr int kMostLinks = kMostFrames + 16;
  static constexpr uint32_t kInRegister = ~uint32_t{0};

  // A frame of no fixed size is found by a pointer to it: in `at`, or in rbp.
  // Without it, what an earlier call has left could be taken for a frame.
  struct Link {
    uint32_t at;
    uint32_t target;
  };

  int count;
  int link_count;
  bool is_truncated;
  uint64_t objects;  // stands for which objects the frames lie in, and where
  uintptr_t returns[kMostFrames];
  uint32_t offsets[kMostFrames];    // of the first: unused
  Link links[kMostLinks];           // in the order in which a walk needs them
  uint8_t link_frames[kMostLinks];  // the return address that each leads to
};

// Registers of the frame that calls.
struct StackPlace {
  uintptr_t pc, sp, bp;
};

// Walks from there by unwind tables, as far as they lead. Faults on nothing.
void WalkStack(MemoryView& memory, const LoaderFunctions& loader,
               const StackPlace& place, StackPath* path);

// Puts the frames into the definition; `program` is the executable's path.
void DescribeStack(MemoryView& memory, const LoaderFunctions& loader,
                   const StackPath& path, const char* program,
                   SiteDefinition* site);

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ENTRY_CALL_STACK_H_

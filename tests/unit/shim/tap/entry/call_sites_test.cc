// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/call_sites.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <x86intrin.h>

#include <cstdint>
#include <vector>

namespace dltap::shim {
namespace {

constexpr int kFunction = 7;

void* Real(uintptr_t number) { return reinterpret_cast<void*>(number); }

// Callers with a slot in common: each displaces the one before.
std::vector<const void*> CallersOfOneSlot(int count) {
  std::vector<const void*> callers = {Real(0x7f0000001000)};
  for (uintptr_t next = 0x7f0000001001;
       callers.size() < static_cast<size_t>(count); ++next) {
    KeepForCallSite(callers[0], kFunction, Real(1));
    KeepForCallSite(Real(next), kFunction, Real(2));
    if (FindForCallSite(callers[0], kFunction) == nullptr) {
      callers.push_back(Real(next));
    }
  }
  return callers;
}

TEST(CallSitesTest, KeepsTheLastOfASlot) {
  const auto callers = CallersOfOneSlot(2);
  KeepForCallSite(callers[0], kFunction, Real(10));
  EXPECT_EQ(FindForCallSite(callers[0], kFunction), Real(10));
  EXPECT_EQ(FindForCallSite(callers[0], kFunction + 1), nullptr);
  KeepForCallSite(callers[1], kFunction, Real(20));
  EXPECT_EQ(FindForCallSite(callers[0], kFunction), nullptr);
  EXPECT_EQ(FindForCallSite(callers[1], kFunction), Real(20));
  ForgetCallSites();
  EXPECT_EQ(FindForCallSite(callers[1], kFunction), nullptr);
}

// ---- Writers between any two instructions of a reader ----------------------

struct Interruption {
  int displaced_at, restored_at;  // after so many instructions
  int instructions;
  const void* caller;
  const void* other;
};
Interruption g_interruption;

void OnInstruction(int) {
  Interruption& now = g_interruption;
  const int done = ++now.instructions;
  if (done == now.displaced_at) KeepForCallSite(now.other, kFunction, Real(20));
  if (done == now.restored_at) KeepForCallSite(now.caller, kFunction, Real(10));
}

void* FindStepwise(const void* caller) {
  constexpr uint64_t kTrapFlag = 0x100;
  __writeeflags(__readeflags() | kTrapFlag);
  void* found = FindForCallSite(caller, kFunction);
  __writeeflags(__readeflags() & ~kTrapFlag);
  return found;
}

TEST(CallSitesTest, AReaderNeverTakesWhatBelongsToAnotherCaller) {
  const auto callers = CallersOfOneSlot(2);
  struct sigaction before;
  struct sigaction action = {};
  action.sa_handler = OnInstruction;
  ASSERT_EQ(sigaction(SIGTRAP, &action, &before), 0);
  constexpr int kMostBetween = 12;
  int instructions = kMostBetween;
  for (int at = 1; at < instructions; ++at) {
    for (int between = 1; between <= kMostBetween; ++between) {
      KeepForCallSite(callers[0], kFunction, Real(10));
      g_interruption = {at, at + between, 0, callers[0], callers[1]};
      void* found = FindStepwise(callers[0]);
      instructions = g_interruption.instructions;
      EXPECT_TRUE(found == nullptr || found == Real(10))
          << found << ", interrupted after " << at << " and " << at + between
          << " of " << instructions << " instructions";
    }
  }
  EXPECT_GT(instructions, 5);
  sigaction(SIGTRAP, &before, nullptr);
}

}  // namespace
}  // namespace dltap::shim

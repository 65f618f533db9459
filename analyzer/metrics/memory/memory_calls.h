// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_MEMORY_MEMORY_CALLS_H_
#define DLTAP_ANALYZER_METRICS_MEMORY_MEMORY_CALLS_H_

#include <cstdint>
#include <vector>

#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

enum class MemoryAction : uint8_t {
  kNone,
  kTake,
  kGive,
  kMap,
  kUnmap,
  kAsk  // how much is free: `bytes`
};

// One call that takes, gives back, maps or asks for memory.
struct MemoryCall {
  int64_t at_ns;  // when it had its effect
  MemoryAction action;
  MemoryKind kind = MemoryKind::kDevice;
  bool failed = false;
  bool captured = false;   // a node of a graph, no memory yet
  bool from_pool = false;  // which may hold more than was asked for
  uint64_t address = 0;
  uint64_t object = 0;  // of physical memory that is mapped by another call
  int64_t bytes = 0;
  ThreadId thread;
  EntryPointId entry;
};

// Those of a process, in time: what is taken counts from the end of its call,
// what is given back from the begin. Calls inside of such a call are left out.
std::vector<MemoryCall> MemoryCallsOf(const TraceModel& model,
                                      const Process& process);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_MEMORY_MEMORY_CALLS_H_

// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/activity/launch_cost.h"

#include <cstring>
#include <span>

#include "entry_points.h"
#include "shim/tap/runtime/clock.h"
#include "shim/tap/runtime/participants.h"
#include "shim/tap/runtime/totals.h"
#include "shim/trace/records.h"

namespace dltap::shim {
namespace {

using specs::EntryPoint;

// Both sides of one kind of launch: the runtime's, the driver's.
struct Launches {
  uint64_t our_calls;
  uint64_t our_ticks;
  uint64_t vendor_calls;
  uint64_t vendor_ns;
};
constinit Launches g_runtime = {};
constinit Launches g_driver = {};
constinit ClockReading g_first = {};

Launches* LaunchesOf(const trace::CallSlot& slot) {
  if (slot.entry_point < trace::kFirstEntryPointId) return nullptr;
  switch (
      static_cast<EntryPoint>(slot.entry_point - trace::kFirstEntryPointId)) {
    case EntryPoint::kCudaLaunchKernel:
    case EntryPoint::kCudaLaunchKernelExC:
    case EntryPoint::kInternalCudaLaunchKernel: return &g_runtime;
    case EntryPoint::kCuLaunchKernel:
    case EntryPoint::kCuLaunchKernelEx: return &g_driver;
    default: return nullptr;
  }
}

// The same functions, by the vendor's numbers, which never change.
Launches* LaunchesOf(const trace::LaunchApiRecord& record) {
  constexpr uint8_t kDriver = 1;
  const uint32_t api = record.api;
  if (record.domain == kDriver) {
    return api == 307 || api == 652 ? &g_driver : nullptr;
  }
  return api == 211 || api == 430 || api == 505 ? &g_runtime : nullptr;
}

void NoteSlots(std::span<const trace::CallSlot> slots, uint32_t) {
  for (size_t i = 0; i < slots.size();) {
    const trace::CallSlot& slot = slots[i];
    i += slot.slots > 0 ? slot.slots : 1;
    Launches* launches = LaunchesOf(slot);
    if (launches == nullptr || slot.duration_ticks == trace::kDurationEscape) {
      continue;
    }
    ++launches->our_calls;
    launches->our_ticks += slot.duration_ticks;
  }
}

uint64_t CostOf(const Launches& launches, double ns_per_tick) {
  if (launches.our_calls == 0 || launches.vendor_calls == 0) return 0;
  const double ours = static_cast<double>(launches.our_ticks) * ns_per_tick /
                      static_cast<double>(launches.our_calls);
  const double vendors = static_cast<double>(launches.vendor_ns) /
                         static_cast<double>(launches.vendor_calls);
  if (ours <= vendors) return 0;
  return static_cast<uint64_t>((ours - vendors) *
                               static_cast<double>(launches.vendor_calls));
}

void Start() {
  g_runtime = {};
  g_driver = {};
  g_first = ReadClocks();
}

void Pass() {
  const ClockReading now = ReadClocks();
  const uint64_t ticks_per_second = TicksPerSecond(g_first, now);
  if (ticks_per_second == 0) return;
  const double ns_per_tick = 1e9 / static_cast<double>(ticks_per_second);
  SetSourceCost(CostOf(g_runtime, ns_per_tick) + CostOf(g_driver, ns_per_tick));
}

}  // namespace

void NoteLaunchApis(trace::BlockKind kind, const uint8_t* records,
                    uint32_t bytes) {
  if (kind != trace::BlockKind::kActivities) return;
  for (uint32_t at = 0; at + sizeof(trace::RecordHeader) <= bytes;) {
    trace::RecordHeader header;
    memcpy(&header, records + at, sizeof(header));
    if (header.bytes < sizeof(header) || header.bytes > bytes - at) return;
    if (header.kind == static_cast<uint16_t>(trace::RecordKind::kLaunchApi) &&
        header.bytes >= sizeof(trace::LaunchApiRecord)) {
      trace::LaunchApiRecord record;
      memcpy(&record, records + at, sizeof(record));
      if (Launches* launches = LaunchesOf(record)) {
        ++launches->vendor_calls;
        launches->vendor_ns += record.duration_ns;
      }
    }
    at += header.bytes;
  }
}

void MeasureLaunchCost() {
  AddParticipant({.start = Start, .pass = Pass, .observe = NoteSlots});
}

}  // namespace dltap::shim

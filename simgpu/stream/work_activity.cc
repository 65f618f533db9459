// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/work_activity.h"

#include <atomic>

#include "simgpu/base/clock.h"
#include "simgpu/base/thread_state.h"

namespace dltap::simgpu {
namespace {

constexpr uint32_t kNoStream = 0xffffffff;

constinit std::atomic<uint64_t> g_last_grid_id{0};
constinit std::atomic<uint64_t> g_last_event_record_id{0};

Context* ContextOf(const Device& device, const Stream* stream) {
  return stream != nullptr && stream->context != nullptr
             ? stream->context
             : device.primary_context;
}

WorkPlace PlaceOf(const Device& device, const Stream* stream, const Span& span,
                  const Origin& origin) {
  const Context* context = ContextOf(device, stream);
  return {.device_id = static_cast<uint32_t>(device.ordinal),
          .context_id = context->id,
          .stream_id = stream == nullptr ? kNoStream : stream->id,
          .correlation_id = origin.correlation_id,
          .graph_id = origin.graph.graph_id,
          .graph_node_id = origin.graph.node_id,
          .submitted_ns = origin.submitted_ns,
          .begin_ns = span.begin_ns,
          .end_ns = span.end_ns};
}

struct Teller {
  const Stream& stream;
  const WorkPlace& place;

  void operator()(const KernelWork& kernel) const {
    if (!ActivityWanted(kKernelActivity)) return;
    GetActivitySink().OnKernel(
        {.place = place,
         .name = kernel.name,
         .grid = kernel.grid,
         .block = kernel.block,
         .cluster = kernel.cluster,
         .registers_per_thread = kernel.registers_per_thread,
         .static_shared_bytes = kernel.static_shared_bytes,
         .dynamic_shared_bytes = kernel.dynamic_shared_bytes,
         .grid_id = g_last_grid_id.fetch_add(1, std::memory_order_relaxed) + 1,
         .priority = stream.priority,
         .cooperative = kernel.cooperative});
  }
  void operator()(const CopyWork& copy) const {
    if (!ActivityWanted(kCopyActivity)) return;
    GetActivitySink().OnCopy(
        {.place = place,
         .direction = copy.direction,
         .source_kind = copy.source_kind,
         .destination_kind = copy.destination_kind,
         .asynchronous = copy.asynchronous,
         .bytes = copy.bytes(),
         .source_device_id = static_cast<uint32_t>(copy.source_device),
         .destination_device_id =
             static_cast<uint32_t>(copy.destination_device)});
  }
  void operator()(const MemsetWork& set) const {
    if (!ActivityWanted(kMemsetActivity)) return;
    GetActivitySink().OnMemset({.place = place,
                                .kind = set.kind,
                                .asynchronous = set.asynchronous,
                                .value = set.value,
                                .bytes = set.bytes()});
  }
  template <typename WithoutRecord>
  void operator()(const WithoutRecord&) const {}
};

}  // namespace

void TellActivity(const Stream& stream, const Work& work, const Span& span,
                  const Origin& origin) {
  if (!ActivityWanted(kKernelActivity | kCopyActivity | kMemsetActivity)) {
    return;
  }
  const WorkPlace place = PlaceOf(*stream.device, &stream, span, origin);
  std::visit(Teller{stream, place}, work);
}

void TellSynchronization(SynchronizationKind kind, const Device& device,
                         const Stream* stream, SynchronizedEvent event,
                         int64_t begin_ns, SynchronizationResult result) {
  if (!ActivityWanted(kSynchronizationActivity)) return;
  const Span span{begin_ns, SimNow()};
  const bool has_handle = stream != nullptr && !stream->legacy;
  GetActivitySink().OnSynchronization(
      {.place = PlaceOf(device, stream, span,
                        {begin_ns, CurrentThread().correlation_id, {}}),
       .kind = kind,
       .event_id = event.id,
       .event_record_id = event.record_id,
       .query = result.query,
       .result = static_cast<int>(result.error),
       .context = ContextOf(device, stream),
       .stream = has_handle ? const_cast<Stream*>(stream) : nullptr});
}

uint64_t NextEventRecordId() {
  return g_last_event_record_id.fetch_add(1, std::memory_order_relaxed) + 1;
}

void TellEvent(const Stream& stream, SynchronizedEvent event, int64_t time_ns,
               const Origin& origin) {
  if (!ActivityWanted(kEventActivity)) return;
  GetActivitySink().OnEvent(
      {.place = PlaceOf(*stream.device, &stream, {time_ns, time_ns}, origin),
       .event_id = event.id,
       .record_id = event.record_id});
}

}  // namespace dltap::simgpu

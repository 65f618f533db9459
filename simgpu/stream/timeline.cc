// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/timeline.h"

#include <algorithm>

#include "opmodel/device_time.h"
#include "simgpu/base/clock.h"
#include "simgpu/base/scoped_faults.h"
#include "simgpu/stream/host_executor.h"
#include "simgpu/stream/time_factors.h"

namespace dltap::simgpu {
namespace {

constexpr int64_t kHostFunctionNs = 5'000;
constexpr int64_t kMemoryOperationNs = 1'000;
// A chunk of a copy that goes through the host.
constexpr double kStagingBytes = 4 << 20;

opmodel::CopyPath PathOf(CopyDirection direction, bool pageable) {
  using opmodel::CopyPath;
  switch (direction) {
    case CopyDirection::kHostToDevice:
      return pageable ? CopyPath::kHostToDevicePageable
                      : CopyPath::kHostToDevicePinned;
    case CopyDirection::kDeviceToHost:
      return pageable ? CopyPath::kDeviceToHostPageable
                      : CopyPath::kDeviceToHostPinned;
    case CopyDirection::kPeer: return CopyPath::kPeer;
    case CopyDirection::kDeviceToDevice:
    case CopyDirection::kHostToHost: break;
  }
  return CopyPath::kDeviceToDevice;
}

bool IsPageable(const CopyWork& copy) {
  return copy.source_kind == MemoryKind::kPageable ||
         copy.destination_kind == MemoryKind::kPageable;
}

struct Duration {
  const opmodel::GpuSpec& gpu;

  int64_t operator()(const KernelWork& kernel) const {
    const opmodel::KernelLaunch launch{
        .blocks = kernel.grid.count(),
        .threads_per_block = static_cast<int>(kernel.block.count()),
        .registers_per_thread = static_cast<int>(kernel.registers_per_thread),
        .shared_bytes =
            int64_t{kernel.static_shared_bytes} + kernel.dynamic_shared_bytes,
        .bytes_per_thread = kernel.bytes_per_thread};
    return static_cast<int64_t>(TimeOf(launch, gpu).ns);
  }
  int64_t operator()(const CopyWork& copy) const {
    const auto bytes = static_cast<double>(copy.bytes());
    if (copy.staged) return StagedCopy(bytes);
    const auto path = PathOf(copy.direction, IsPageable(copy));
    return static_cast<int64_t>(TimeOfCopy(path, bytes, gpu).ns);
  }
  int64_t operator()(const MigrationWork& migration) const {
    const auto path = PathOf(migration.direction, false);
    const auto bytes = static_cast<double>(migration.bytes);
    return static_cast<int64_t>(TimeOfCopy(path, bytes, gpu).ns);
  }
  // Down and up again in chunks, which overlap, except the last.
  int64_t StagedCopy(double bytes) const {
    using opmodel::CopyPath;
    const double down =
        TimeOfCopy(CopyPath::kDeviceToHostPinned, bytes, gpu).ns;
    const double last = TimeOfCopy(CopyPath::kHostToDevicePinned,
                                   std::min(bytes, kStagingBytes), gpu)
                            .ns;
    return static_cast<int64_t>(down + last);
  }
  int64_t operator()(const MemsetWork& set) const {
    return static_cast<int64_t>(TimeOfCopy(opmodel::CopyPath::kMemset,
                                           static_cast<double>(set.bytes()),
                                           gpu)
                                    .ns);
  }
  int64_t operator()(const HostWork&) const { return kHostFunctionNs; }
  int64_t operator()(const MemoryOperationsWork&) const {
    return kMemoryOperationNs;
  }
  template <typename Instant>
  int64_t operator()(const Instant&) const {
    return 0;
  }
};

// Calls visit(stream) for each stream that `stream` waits for by rule 2.
template <typename Visit>
void ForEachImplicitPredecessor(Stream& stream, Visit visit) {
  Device& device = *stream.device;
  if (stream.legacy) {
    if (device.blocking_streams.load(std::memory_order_relaxed) == 0) return;
    const std::lock_guard lock(device.streams_mutex);
    for (Stream* other : device.streams) {
      if (other->blocking() && other != &stream) visit(*other);
    }
  } else if (stream.blocking()) {
    visit(*device.legacy_stream);
  }
}

std::atomic<int64_t>* EngineOf(Device& device, CopyDirection direction) {
  switch (direction) {
    case CopyDirection::kHostToDevice: return &device.host_to_device_free_ns;
    case CopyDirection::kDeviceToHost: return &device.device_to_host_free_ns;
    default: return nullptr;
  }
}

std::atomic<int64_t>* EngineOf(Device& device, const Work& work) {
  if (const auto* copy = std::get_if<CopyWork>(&work)) {
    return EngineOf(device, copy->direction);
  }
  const auto* migration = std::get_if<MigrationWork>(&work);
  return migration == nullptr ? nullptr
                              : EngineOf(device, migration->direction);
}

// Durations and SMs are remembered per stream: programs repeat few geometries.
const ModelledKernel& ModelOf(Stream& stream, const KernelWork& kernel) {
  const ModelledLaunch launch{
      .blocks = kernel.grid.count(),
      .threads = static_cast<uint32_t>(kernel.block.count()),
      .registers = kernel.registers_per_thread,
      .shared_bytes = kernel.static_shared_bytes + kernel.dynamic_shared_bytes,
      .bytes_per_thread = kernel.bytes_per_thread};
  const uint64_t hash = static_cast<uint64_t>(launch.blocks) * 31 +
                        launch.threads + launch.shared_bytes;
  ModelledKernel& known = stream.modelled[hash % stream.modelled.size()];
  if (known.launch != launch) {
    const opmodel::GpuSpec& gpu = *stream.gpu;
    known = {.launch = launch,
             .units = SmUnitsOf(kernel, SmProfile::kWhole, gpu),
             .duration_ns = Duration{gpu}(kernel)};
  }
  return known;
}

// What takes so long on a sound GPU, on this one when its turn comes.
int64_t OnDevice(const Device& device, int64_t begin_ns, double duration_ns) {
  if (HasScopedFaults()) [[unlikely]]
    duration_ns /= GpuSpeed(device.ordinal, begin_ns);
  return static_cast<int64_t>(duration_ns);
}

// Memory of the device at both ends, no link.
bool IsInsideDevice(const Work& work) {
  const auto* copy = std::get_if<CopyWork>(&work);
  return std::holds_alternative<MemsetWork>(work) ||
         (copy != nullptr && copy->direction == CopyDirection::kDeviceToDevice);
}

Span OccupySms(Stream& stream, const KernelWork& kernel,
               const Readiness& ready) {
  const ModelledKernel& model = ModelOf(stream, kernel);
  const double duration_ns =
      static_cast<double>(kernel.duration_ns > 0 ? kernel.duration_ns
                                                 : model.duration_ns) *
      TimeFactorOf(kernel.name);
  // What a collective takes is its links' (nccl/link_faults.h).
  const bool is_links = kernel.exchange != nullptr;
  const SmProfile::Place place =
      TakeSms(*stream.sm_sharing, stream.sms,
              {.begin_ns = ready.begin_ns,
               .duration_ns = is_links ? static_cast<int64_t>(duration_ns)
                                       : OnDevice(*stream.device,
                                                  ready.begin_ns, duration_ns),
               .units = model.units,
               .now_ns = ready.now_ns,
               .priority = ready.priority,
               .in_order = ready.in_order});
  return {place.begin_ns, place.end_ns};
}

Span OccupyEngine(std::atomic<int64_t>& engine, int64_t begin_ns,
                  int64_t duration_ns) {
  int64_t free_ns = engine.load(std::memory_order_relaxed);
  int64_t start_ns = 0;
  do {
    start_ns = std::max(begin_ns, free_ns);
  } while (!engine.compare_exchange_weak(free_ns, start_ns + duration_ns,
                                         std::memory_order_relaxed));
  return {start_ns, start_ns + duration_ns};
}

}  // namespace

int64_t TailBefore(Stream& stream) {
  int64_t tail_ns = stream.tail_ns.load(std::memory_order_relaxed);
  ForEachImplicitPredecessor(stream, [&](const Stream& other) {
    tail_ns = std::max(tail_ns, other.tail_ns.load(std::memory_order_relaxed));
  });
  return tail_ns;
}

int64_t EarliestBegin(Stream& stream, int64_t now_ns, int64_t gap_ns) {
  return std::max(now_ns + kSubmitLatencyNs, TailBefore(stream) + gap_ns);
}

int64_t GapBefore(const Work& work) {
  const auto* kernel = std::get_if<KernelWork>(&work);
  return kernel != nullptr && kernel->programmatic ? 0 : kKernelGapNs;
}

Span Occupy(Stream& stream, const Work& work, const Readiness& ready) {
  if (const auto* kernel = std::get_if<KernelWork>(&work)) {
    return OccupySms(stream, *kernel, ready);
  }
  if (const auto* operations = std::get_if<MemoryOperationsWork>(&work)) {
    const int64_t end_ns =
        EndOfWaits(*operations, ready.begin_ns) + kMemoryOperationNs;
    NoteWrites(*operations, end_ns);
    return {ready.begin_ns, end_ns};
  }
  Device& device = *stream.device;
  int64_t duration_ns = std::visit(Duration{device.gpu}, work);
  if (IsInsideDevice(work)) {
    duration_ns =
        OnDevice(device, ready.begin_ns, static_cast<double>(duration_ns));
  }
  std::atomic<int64_t>* engine = EngineOf(device, work);
  if (engine != nullptr) {
    return OccupyEngine(*engine, ready.begin_ns, duration_ns);
  }
  return {ready.begin_ns, ready.begin_ns + duration_ns};
}

uint64_t HostTicketBefore(Stream& stream) {
  return TicketBefore(stream, &Stream::host_ticket);
}

uint64_t TicketBefore(Stream& stream, std::atomic<uint64_t> Stream::*kind) {
  uint64_t ticket = (stream.*kind).load(std::memory_order_relaxed);
  ForEachImplicitPredecessor(stream, [&](const Stream& other) {
    ticket =
        JoinHostWork(ticket, (other.*kind).load(std::memory_order_relaxed));
  });
  return ticket;
}

}  // namespace dltap::simgpu

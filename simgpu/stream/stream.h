// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_STREAM_STREAM_H_
#define DLTAP_SIMGPU_STREAM_STREAM_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "simgpu/base/error.h"
#include "simgpu/base/handle.h"
#include "simgpu/graph/graph_edge.h"
#include "simgpu/launch/launch_attributes.h"
#include "simgpu/stream/device.h"
#include "simgpu/stream/occupancy.h"
#include "simgpu/stream/sm_sharing.h"
#include "simgpu/stream/work_order.h"

namespace dltap::simgpu {

struct Capture;
struct GraphNode;
struct GreenContext;

// Numbered as cudaStreamNonBlocking and CU_STREAM_NON_BLOCKING.
constexpr unsigned kStreamNonBlocking = 1;

// Special handle values: cudaStreamLegacy, cudaStreamPerThread.
constexpr uintptr_t kLegacyStreamHandle = 1;
constexpr uintptr_t kPerThreadStreamHandle = 2;

// What the modelled time of a kernel depends on.
struct ModelledLaunch {
  int64_t blocks = 0;
  uint32_t threads = 0;
  uint32_t registers = 0;
  uint32_t shared_bytes = 0;
  double bytes_per_thread = 0;
  friend bool operator==(const ModelledLaunch&,
                         const ModelledLaunch&) = default;
};

// What the model says of a kernel.
struct ModelledKernel {
  ModelledLaunch launch;
  SmUnits units{1, 1};
  int64_t duration_ns = 0;
};

// A CUstream / cudaStream_t. The future of a stream is known: work gets its
// begin and end when it is submitted, so a stream is little more than the time
// at which it runs dry. What follows open-ended work (open_work.h) gets them
// when that is over.
struct Stream : Handle {
  static constexpr uint32_t kTag = 0x5354524d;  // "STRM"
  Stream(Device* owner, unsigned stream_flags, int stream_priority,
         uint32_t stream_id)
      : Handle(kTag),
        device(owner),
        flags(stream_flags),
        priority(stream_priority),
        id(stream_id),
        own_line((stream_flags & kStreamNonBlocking) != 0
                     ? std::make_unique<OrderLine>()
                     : nullptr),
        line(own_line ? *own_line : BlockingLine()),
        gpu(&owner->gpu),
        sm_sharing(owner->sm_sharing) {}

  Device* const device;
  const unsigned flags;
  std::atomic<int> priority;
  const uint32_t id;
  Context* context = nullptr;
  bool legacy = false;
  const std::unique_ptr<OrderLine> own_line;  // null: blocking
  OrderLine& line;
  // The device's, or a part of it (green_context.h).
  const opmodel::GpuSpec* gpu;
  SmSharing* sm_sharing;
  GreenContext* green = nullptr;

  std::mutex mutex;  // held while work is placed and its memory effect is done
  std::atomic<int64_t> tail_ns{0};
  // The latest host function (host_executor.h) that later work must follow.
  std::atomic<uint64_t> host_ticket{0};
  // The latest work with an unknown end (open_work.h): until it is over,
  // tail_ns is too early.
  std::atomic<uint64_t> open_ticket{0};

  // Non-null while the stream captures. Written under the capture mutex and
  // `mutex`; read under either.
  std::atomic<Capture*> capture{nullptr};
  // Recent launches, by a hash of their geometry; see timeline.h.
  std::array<ModelledKernel, 32> modelled{};
  AttributeSet attributes;
  // What of the SMs the stream takes and when; see sm_sharing.h.
  SmClaimant sms{mutex, priority};
  Frontier frontier;  // what the next captured node depends on

  // Legacy stream and blocking streams wait for each other.
  bool blocking() const { return (flags & kStreamNonBlocking) == 0; }
};

Stream* NewLegacyStream(Device& device);
Error CreateStream(Device& device, unsigned flags, int priority,
                   Stream** stream);
Error DestroyStream(Stream& stream);

// What null means to the function called: the legacy stream, or, for the
// _ptsz / _ptds variants, the thread's own default stream.
enum class DefaultStream : uint8_t { kLegacy, kPerThread };

// The stream behind a client's handle; nullptr: not a live stream.
Stream* ResolveStream(const void* handle,
                      DefaultStream null_means = DefaultStream::kLegacy);

// Range of priorities of every device: lower is more urgent.
constexpr int kLeastPriority = 0;
constexpr int kGreatestPriority = -5;

Error SynchronizeStream(Stream& stream);
Error QueryStream(Stream& stream);
// No mode of capture allows it.
Error SynchronizeDevice(Device& device);
// The same wait inside of calls that are potentially unsafe, such as cudaFree.
Error WaitForDevice(Device& device);

// When all work submitted so far will be over.
int64_t StreamTail(Stream& stream);
int64_t DeviceTail(Device& device);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_STREAM_STREAM_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_STREAM_STREAM_STATE_H_
#define DLTAP_SIMGPU_STREAM_STREAM_STATE_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "simgpu/base/attribute_set.h"
#include "simgpu/base/handle.h"
#include "simgpu/bytes/work_order.h"
#include "simgpu/stream/device_state.h"
#include "simgpu/stream/occupancy.h"
#include "simgpu/stream/sm_sharing.h"

namespace dltap::simgpu {

struct CaptureSequence;
struct GreenContext;

// Numbered as cudaStreamNonBlocking and CU_STREAM_NON_BLOCKING.
constexpr unsigned kStreamNonBlocking = 1;

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
  std::atomic<CaptureSequence*> capture{nullptr};
  // Recent launches, by a hash of their geometry; see timeline.h.
  std::array<ModelledKernel, 32> modelled{};
  AttributeSet attributes;
  // What of the SMs the stream takes and when; see sm_sharing.h.
  SmClaimant sms{mutex, priority};

  // Legacy stream and blocking streams wait for each other.
  bool blocking() const { return (flags & kStreamNonBlocking) == 0; }
};

// Enters a stream into the device's list. Nobody is told, and it does not count
// as blocking yet.
Stream* MakeStream(Device& device, unsigned flags, int priority);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_STREAM_STREAM_STATE_H_

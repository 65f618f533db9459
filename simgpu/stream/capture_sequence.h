// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_STREAM_CAPTURE_SEQUENCE_H_
#define DLTAP_SIMGPU_STREAM_CAPTURE_SEQUENCE_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "simgpu/base/error.h"
#include "simgpu/base/thread_state.h"
#include "simgpu/stream/event_state.h"
#include "simgpu/stream/stream_state.h"
#include "simgpu/stream/work.h"

namespace dltap::simgpu {

// Where captured work goes: the graph that is built (graph/capture.cc). Called
// under the capture mutex.
class CaptureTarget {
 public:
  // A graph that was not taken goes with it.
  virtual ~CaptureTarget() = default;
  // The work comes after all that the stream follows, and is what it follows
  // from now on.
  virtual Error Add(Stream& stream, Work work) = 0;
  // The event stands for what the stream follows.
  virtual void Record(const Event& event, const Stream& stream) = 0;
  // What the event stands for comes before what the stream does next.
  virtual void Wait(const Stream& stream, const Event& event) = 0;
};

// One capture sequence: the streams that take part build one graph. All capture
// state is under one mutex; streams that do not capture never take it.
struct CaptureSequence {
  uint64_t id = 0;
  std::unique_ptr<CaptureTarget> target;
  Stream* origin = nullptr;
  CaptureMode mode = CaptureMode::kGlobal;
  uint32_t thread_id = 0;
  ThreadState* thread = nullptr;  // of the begin, for strict_captures
  bool invalidated = false;
  std::vector<Stream*> streams;  // origin first
};

std::mutex& CaptureMutex();

// REQUIRES, for these three: the capture mutex.
void OpenCapture(Stream& stream, CaptureMode mode,
                 std::unique_ptr<CaptureTarget> target);
void CloseCapture(CaptureSequence* capture);
// Work on the stream would follow that of a capturing one.
bool FollowsCapture(const Stream& stream);

bool AnyCapture();

// REQUIRES: stream.capture was seen non-null (a capture that ended since gives
// kCaptureInvalidated).
Error CaptureWork(Stream& stream, Work work);

// Event operations on capturing streams; event.cc asks first.
Error CaptureEventRecord(Event& event, Stream& stream);
// kNotReady: the wait has nothing to do with a capture, the caller goes on.
Error CaptureEventWait(Stream& stream, Event& event);

// For a stream that is about to be destroyed: its capture ends in failure.
void AbandonCapture(Stream& stream);

// kCaptureImplicit, and the capture ends in failure, when work on the legacy
// stream would have to wait for a capturing stream.
Error CheckImplicitCapture(Stream& stream);

// For calls which CUDA calls potentially unsafe while a stream captures
// (cudaMalloc, ...): kCaptureUnsupported by the thread's mode, and the captures
// that forbid it end in failure.
Error CheckUnsafeCall();

// For calls about a whole device, which no mode allows while one of its streams
// captures: kCaptureUnsupported, and those captures end in failure.
Error RefuseWhileDeviceCaptures(const Device& device);

// For calls that may not touch an event which was last recorded in a capture:
// kCapturedEvent, and that capture ends in failure.
Error RefuseCapturedEvent(Event& event);

// For calls that may not touch a capturing stream at all (synchronize, query):
// kCaptureUnsupported, and the capture ends in failure.
Error RefuseWhileCapturing(Stream& stream);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_STREAM_CAPTURE_SEQUENCE_H_

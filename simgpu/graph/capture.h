// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_GRAPH_CAPTURE_H_
#define DLTAP_SIMGPU_GRAPH_CAPTURE_H_

#include <cstdint>
#include <vector>

#include "simgpu/base/error.h"
#include "simgpu/base/thread_state.h"
#include "simgpu/graph/graph.h"
#include "simgpu/stream/stream.h"
#include "simgpu/stream/work.h"

namespace dltap::simgpu {

struct Event;

// One capture sequence: the streams that take part build one graph. All capture
// state is under one mutex; streams that do not capture never take it.
struct Capture {
  uint64_t id = 0;
  Graph* graph = nullptr;
  bool owns_graph = true;  // false: cudaStreamBeginCaptureToGraph
  Stream* origin = nullptr;
  CaptureMode mode = CaptureMode::kGlobal;
  uint32_t thread_id = 0;
  ThreadState* thread = nullptr;  // of the begin, for strict_captures
  bool invalidated = false;
  std::vector<Stream*> streams;  // origin first
};

// Numbered as cudaStreamCaptureStatus.
enum class CaptureStatus : int { kNone = 0, kActive = 1, kInvalidated = 2 };

struct CaptureInfo {
  CaptureStatus status = CaptureStatus::kNone;
  uint64_t id = 0;
  Graph* graph = nullptr;
  // Valid until the stream's next captured operation; null: none.
  const Frontier* frontier = nullptr;
};

// Into a new graph, or into `graph` after `dependencies`.
Error BeginCapture(Stream& stream, CaptureMode mode, Graph* graph = nullptr,
                   const DependencyView& dependencies = {});
// `*graph` is null after any error.
Error EndCapture(Stream& stream, Graph** graph);
// kCaptureImplicit for the legacy stream while a blocking stream captures; that
// capture stays as it is.
Error GetCaptureInfo(Stream& stream, CaptureInfo* info);
// Adds to, or replaces, what the next captured node depends on.
Error UpdateCaptureFrontier(Stream& stream, const DependencyView& dependencies,
                            bool replace);
// For a stream that is about to be destroyed: its capture ends in failure.
void AbandonCapture(Stream& stream);

// REQUIRES: stream.capture was seen non-null (a capture that ended since gives
// kCaptureInvalidated).
Error CaptureWork(Stream& stream, Work work);
Error CaptureChildGraph(Stream& stream, const Graph& child);
Error CaptureNode(Stream& stream, NodeSpec spec);

// Event operations on capturing streams; event.cc asks first.
Error CaptureEventRecord(Event& event, Stream& stream);
// kNotReady: the wait has nothing to do with a capture, the caller goes on.
Error CaptureEventWait(Stream& stream, Event& event);

bool AnyCapture();

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

#endif  // DLTAP_SIMGPU_GRAPH_CAPTURE_H_

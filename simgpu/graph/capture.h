// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_GRAPH_CAPTURE_H_
#define DLTAP_SIMGPU_GRAPH_CAPTURE_H_

#include <cstdint>

#include "simgpu/base/error.h"
#include "simgpu/base/thread_state.h"
#include "simgpu/graph/graph.h"
#include "simgpu/stream/capture_sequence.h"

namespace dltap::simgpu {

// Numbered as cudaStreamCaptureStatus.
enum class CaptureStatus : int { kNone = 0, kActive = 1, kInvalidated = 2 };

struct CaptureInfo {
  CaptureStatus status = CaptureStatus::kNone;
  uint64_t id = 0;
  Graph* graph = nullptr;
  // Valid until the stream's next captured operation or the capture's end;
  // null: none.
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

// REQUIRES: stream.capture was seen non-null (a capture that ended since gives
// kCaptureInvalidated).
Error CaptureChildGraph(Stream& stream, const Graph& child);
Error CaptureNode(Stream& stream, NodeSpec spec);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_GRAPH_CAPTURE_H_

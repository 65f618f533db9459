// SPDX-License-Identifier: Apache-2.0
// Each error of stream capture, by the documentation's rule, in both APIs.
#include <cuda.h>

#include <functional>
#include <string>
#include <thread>

#include "tests/unit/simgpu/kernels.h"
#include "tests/unit/simgpu/support.h"

namespace {

// What a rule is tried with. Streams and events serve both APIs.
struct Scene {
  cudaStream_t stream = nullptr;    // captures; non-blocking
  cudaStream_t other = nullptr;     // non-blocking, captures nothing
  cudaStream_t blocking = nullptr;  // captures in some rules
  cudaEvent_t captured = nullptr;   // last recorded in the capture
  cudaEvent_t outside = nullptr;    // recorded before it
  void* memory = nullptr;
};

using Call = std::function<int(Scene&)>;

struct Rule {
  const char* says;
  int error;
  bool invalidates;  // then EndCapture gives 901 and no graph
  cudaStreamCaptureMode mode;
  Call runtime;
  Call driver;
};

int Malloc(Scene&) {
  void* block = nullptr;
  const int error = cudaMalloc(&block, 100);
  cudaFree(block);
  return error;
}

int DriverMalloc(Scene&) {
  CUdeviceptr block = 0;
  const int error = cuMemAlloc(&block, 100);
  if (error == 0) cuMemFree(block);
  return error;
}

int OnAnotherThread(const std::function<int()>& call) {
  int error = -1;
  std::thread([&] {
    cudaSetDevice(0);
    error = call();
  }).join();
  return error;
}

Call Elsewhere(Call call) {
  return [call](Scene& scene) {
    return OnAnotherThread([&] { return call(scene); });
  };
}

// With the calling thread's mode exchanged to relaxed meanwhile.
Call Relaxed(Call call) {
  return [call](Scene& scene) {
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    cudaThreadExchangeStreamCaptureMode(&mode);
    const int error = call(scene);
    cudaThreadExchangeStreamCaptureMode(&mode);
    return error;
  };
}

// Begins on the blocking stream, makes the call, ends that capture.
Call WhileBlockingCaptures(Call call) {
  return [call](Scene& scene) {
    cudaStreamBeginCapture(scene.blocking, cudaStreamCaptureModeRelaxed);
    const int error = call(scene);
    cudaGraph_t graph = nullptr;
    const int end = cudaStreamEndCapture(scene.blocking, &graph);
    if (graph != nullptr) cudaGraphDestroy(graph);
    EXPECT_EQ(end == 0, graph != nullptr);
    // What invalidates it is told by the rule's error and 901 at its end.
    return error == cudaErrorStreamCaptureImplicit && end == 0 ? -end : error;
  };
}

constexpr auto kGlobal = cudaStreamCaptureModeGlobal;
constexpr auto kLocal = cudaStreamCaptureModeThreadLocal;
constexpr auto kRelaxed = cudaStreamCaptureModeRelaxed;

// NOLINTBEGIN(readability/fn_size)
const Rule kRules[] = {
    {"900: synchronizing a capturing stream", 900, true, kGlobal,
     [](Scene& s) { return cudaStreamSynchronize(s.stream); },
     [](Scene& s) { return cuStreamSynchronize(s.stream); }},
    {"900: querying a capturing stream, in any mode", 900, true, kRelaxed,
     [](Scene& s) { return cudaStreamQuery(s.stream); },
     [](Scene& s) { return cuStreamQuery(s.stream); }},
    {"900: a device handle encompasses the capture, in any mode", 900, true,
     kRelaxed, [](Scene&) { return cudaDeviceSynchronize(); },
     [](Scene&) { return cuCtxSynchronize(); }},
    {"900: the same from another thread", 900, true, kRelaxed,
     Elsewhere([](Scene&) { return cudaDeviceSynchronize(); }),
     Elsewhere([](Scene&) { return cuCtxSynchronize(); })},
    {"900: a callback cannot be captured", 900, true, kGlobal,
     [](Scene& s) {
       return cudaStreamAddCallback(
           s.stream, [](cudaStream_t, cudaError_t, void*) {}, nullptr, 0);
     },
     [](Scene& s) {
       return cuStreamAddCallback(
           s.stream, [](CUstream, CUresult, void*) {}, nullptr, 0);
     }},
    {"900: a potentially unsafe call in global mode", 900, true, kGlobal,
     Malloc, DriverMalloc},
    {"900: global mode forbids it in other threads too", 900, true, kGlobal,
     Elsewhere(Malloc), Elsewhere(DriverMalloc)},
    {"900: thread-local mode forbids it in this thread", 900, true, kLocal,
     Malloc, DriverMalloc},
    {"thread-local mode allows it in other threads", 0, false, kLocal,
     Elsewhere(Malloc), Elsewhere(DriverMalloc)},
    {"relaxed mode allows it", 0, false, kRelaxed, Malloc, DriverMalloc},
    {"a thread that exchanged its mode to relaxed may", 0, false, kGlobal,
     Relaxed(Malloc), Relaxed(DriverMalloc)},
    {"in another thread too", 0, false, kGlobal, Elsewhere(Relaxed(Malloc)),
     Elsewhere(Relaxed(DriverMalloc))},
    {"900: the legacy stream cannot capture", 900, false, kGlobal,
     [](Scene&) { return cudaStreamBeginCapture(cudaStreamLegacy, kRelaxed); },
     [](Scene&) {
       return cuStreamBeginCapture(CU_STREAM_LEGACY,
                                   CU_STREAM_CAPTURE_MODE_RELAXED);
     }},
    {"401: a capturing stream cannot begin again", 401, false, kGlobal,
     [](Scene& s) { return cudaStreamBeginCapture(s.stream, kGlobal); },
     [](Scene& s) {
       return cuStreamBeginCapture(s.stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
     }},
    {"902: two captures cannot be merged", 902, true, kRelaxed,
     [](Scene& s) {
       cudaStreamBeginCapture(s.other, kRelaxed);
       const int error = cudaStreamWaitEvent(s.other, s.captured, 0);
       cudaGraph_t graph = nullptr;
       EXPECT_EQ(901, cudaStreamEndCapture(s.other, &graph));
       return error;
     },
     [](Scene& s) {
       cuStreamBeginCapture(s.other, CU_STREAM_CAPTURE_MODE_RELAXED);
       const int error = cuStreamWaitEvent(s.other, s.captured, 0);
       CUgraph graph = nullptr;
       EXPECT_EQ(901, cuStreamEndCapture(s.other, &graph));
       return error;
     }},
    {"903: a joined stream cannot end the capture", 903, false, kGlobal,
     [](Scene& s) {
       cudaGraph_t graph = nullptr;
       EXPECT_OK(cudaStreamWaitEvent(s.other, s.captured, 0));
       return cudaStreamEndCapture(s.other, &graph);
     },
     [](Scene& s) {
       CUgraph graph = nullptr;
       EXPECT_EQ(0, cuStreamWaitEvent(s.other, s.captured, 0));
       return cuStreamEndCapture(s.other, &graph);
     }},
    {"905: a dependency on work outside of the capture", 905, true, kGlobal,
     [](Scene& s) { return cudaStreamWaitEvent(s.stream, s.outside, 0); },
     [](Scene& s) { return cuStreamWaitEvent(s.stream, s.outside, 0); }},
    {"an external wait is a node", 0, false, kGlobal,
     [](Scene& s) {
       return cudaStreamWaitEvent(s.stream, s.outside, cudaEventWaitExternal);
     },
     [](Scene& s) {
       return cuStreamWaitEvent(s.stream, s.outside, CU_EVENT_WAIT_EXTERNAL);
     }},
    {"906: the legacy stream would wait for a capturing one", 906, false,
     kRelaxed, WhileBlockingCaptures([](Scene& s) -> int {
       return cudaMemsetAsync(s.memory, 0, 100, cudaStreamLegacy);
     }),
     WhileBlockingCaptures([](Scene& s) -> int {
       return cuMemsetD8Async(reinterpret_cast<CUdeviceptr>(s.memory), 0, 100,
                              CU_STREAM_LEGACY);
     })},
    {"906: so would synchronizing it", 906, false, kRelaxed,
     WhileBlockingCaptures(
         [](Scene&) -> int { return cudaStreamSynchronize(nullptr); }),
     WhileBlockingCaptures(
         [](Scene&) -> int { return cuStreamSynchronize(nullptr); })},
    {"906: and a copy that uses it implicitly", 906, false, kRelaxed,
     WhileBlockingCaptures([](Scene& s) -> int {
       int value = 0;
       return cudaMemcpy(s.memory, &value, 4, cudaMemcpyHostToDevice);
     }),
     WhileBlockingCaptures([](Scene& s) -> int {
       int value = 0;
       return cuMemcpyHtoD(reinterpret_cast<CUdeviceptr>(s.memory), &value, 4);
     })},
    {"907: an event that was last recorded in a capture", 907, true, kRelaxed,
     [](Scene& s) { return cudaEventQuery(s.captured); },
     [](Scene& s) { return cuEventQuery(s.captured); }},
    {"907: not to be synchronized either, in any mode", 907, true, kGlobal,
     [](Scene& s) { return cudaEventSynchronize(s.captured); },
     [](Scene& s) { return cuEventSynchronize(s.captured); }},
    {"908: not relaxed, it ends in its own thread", 908, false, kLocal,
     Elsewhere([](Scene& s) -> int {
       cudaGraph_t graph = nullptr;
       return cudaStreamEndCapture(s.stream, &graph);
     }),
     Elsewhere([](Scene& s) -> int {
       CUgraph graph = nullptr;
       return cuStreamEndCapture(s.stream, &graph);
     })},
};
// NOLINTEND

class CaptureRulesTest : public RuntimeTest {
 protected:
  void Try(const Rule& rule, const Call& call) {
    Scene scene{.stream = stream_, .memory = data_};
    ASSERT_OK(cudaStreamCreateWithFlags(&scene.other, cudaStreamNonBlocking));
    ASSERT_OK(cudaStreamCreate(&scene.blocking));
    ASSERT_OK(cudaEventCreate(&scene.captured));
    ASSERT_OK(cudaEventCreate(&scene.outside));
    ASSERT_OK(cudaEventRecord(scene.outside, scene.other));
    ASSERT_OK(cudaStreamBeginCapture(stream_, rule.mode));
    LaunchScale(data_, 1, stream_);
    ASSERT_OK(cudaEventRecord(scene.captured, stream_));

    EXPECT_EQ(rule.error, call(scene));

    cudaStreamCaptureStatus status;
    EXPECT_OK(cudaStreamIsCapturing(stream_, &status));
    EXPECT_EQ(rule.invalidates ? cudaStreamCaptureStatusInvalidated
                               : cudaStreamCaptureStatusActive,
              status);
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(
        rule.invalidates ? cudaErrorStreamCaptureInvalidated : cudaSuccess,
        cudaStreamEndCapture(stream_, &graph));
    EXPECT_EQ(rule.invalidates, graph == nullptr);
    if (graph != nullptr) cudaGraphDestroy(graph);
    cudaStreamDestroy(scene.other);
    cudaStreamDestroy(scene.blocking);
    cudaEventDestroy(scene.captured);
    cudaEventDestroy(scene.outside);
  }
};

TEST_F(CaptureRulesTest, Runtime) {
  for (const Rule& rule : kRules) {
    SCOPED_TRACE(rule.says);
    Try(rule, rule.runtime);
  }
}

TEST_F(CaptureRulesTest, Driver) {
  for (const Rule& rule : kRules) {
    SCOPED_TRACE(rule.says);
    Try(rule, rule.driver);
  }
}

TEST_F(CaptureRulesTest, InvalidatedCaptureTakesNoMoreWork) {
  ASSERT_OK(cudaStreamBeginCapture(stream_, kGlobal));
  EXPECT_EQ(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(stream_));
  EXPECT_EQ(cudaErrorStreamCaptureInvalidated,
            cudaMemsetAsync(data_, 0, 100, stream_));
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaErrorStreamCaptureInvalidated,
            cudaStreamEndCapture(stream_, &graph));
  EXPECT_OK(cudaStreamSynchronize(stream_));  // as if nothing had been
}

TEST_F(CaptureRulesTest, AskingForTheLegacyStreamLeavesTheCaptureAlone) {
  cudaStream_t blocking = nullptr;
  ASSERT_OK(cudaStreamCreate(&blocking));
  ASSERT_OK(cudaStreamBeginCapture(blocking, kGlobal));
  cudaStreamCaptureStatus status;
  EXPECT_EQ(cudaErrorStreamCaptureImplicit,
            cudaStreamIsCapturing(cudaStreamLegacy, &status));
  CUstreamCaptureStatus driver_status;
  EXPECT_EQ(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT,
            cuStreamIsCapturing(CU_STREAM_LEGACY, &driver_status));
  cudaGraph_t graph = nullptr;
  EXPECT_OK(cudaStreamEndCapture(blocking, &graph));
  EXPECT_OK(cudaGraphDestroy(graph));
  EXPECT_OK(cudaStreamDestroy(blocking));
}

TEST_F(CaptureRulesTest, DestroyedStreamTakesItsCaptureAlong) {
  cudaStream_t gone = nullptr;
  ASSERT_OK(cudaStreamCreateWithFlags(&gone, cudaStreamNonBlocking));
  ASSERT_OK(cudaStreamBeginCapture(gone, kGlobal));
  ASSERT_OK(cudaStreamDestroy(gone));
  void* block = nullptr;
  EXPECT_OK(cudaMalloc(&block, 100));  // no capture forbids it any more
  EXPECT_OK(cudaFree(block));
}

TEST_F(CaptureRulesTest, DestroyedForkInvalidates) {
  cudaStream_t fork = nullptr;
  cudaEvent_t event = nullptr;
  ASSERT_OK(cudaStreamCreateWithFlags(&fork, cudaStreamNonBlocking));
  ASSERT_OK(cudaEventCreate(&event));
  ASSERT_OK(cudaStreamBeginCapture(stream_, kGlobal));
  ASSERT_OK(cudaEventRecord(event, stream_));
  ASSERT_OK(cudaStreamWaitEvent(fork, event, 0));
  ASSERT_OK(cudaStreamDestroy(fork));
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaErrorStreamCaptureInvalidated,
            cudaStreamEndCapture(stream_, &graph));
  EXPECT_OK(cudaEventDestroy(event));
}

TEST_F(CaptureRulesTest, CaptureIntoAGraphFollowsTheNodesGiven) {
  cudaGraph_t graph = nullptr;
  cudaGraph_t strange = nullptr;
  cudaGraphNode_t first = nullptr;
  cudaGraphNode_t stranger = nullptr;
  ASSERT_OK(cudaGraphCreate(&graph, 0));
  ASSERT_OK(cudaGraphCreate(&strange, 0));
  ASSERT_OK(cudaGraphAddEmptyNode(&first, graph, nullptr, 0));
  ASSERT_OK(cudaGraphAddEmptyNode(&stranger, strange, nullptr, 0));
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaStreamBeginCaptureToGraph(stream_, graph, &stranger, nullptr, 1,
                                          kGlobal));
  ASSERT_OK(cudaStreamBeginCaptureToGraph(stream_, graph, &first, nullptr, 1,
                                          kGlobal));
  LaunchScale(data_, 1, stream_);
  cudaGraph_t ended = nullptr;
  ASSERT_OK(cudaStreamEndCapture(stream_, &ended));
  EXPECT_EQ(graph, ended);
  size_t count = 0;
  EXPECT_OK(cudaGraphNodeGetDependentNodes(first, nullptr, nullptr, &count));
  EXPECT_EQ(1u, count);
  EXPECT_OK(cudaGraphDestroy(graph));
  EXPECT_OK(cudaGraphDestroy(strange));
}

TEST_F(CaptureRulesTest, DependentLaunchMakesAProgrammaticEdge) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = config.blockDim = dim3(1);
  config.stream = stream_;
  config.attrs = &attribute;
  config.numAttrs = 1;
  float factor = 1;
  void* arguments[] = {&data_, &factor};
  ASSERT_OK(cudaStreamBeginCapture(stream_, kGlobal));
  LaunchScale(data_, 1, stream_);
  ASSERT_OK(cudaLaunchKernelExC(&config, ScaleStub(), arguments));
  cudaGraph_t graph = nullptr;
  ASSERT_OK(cudaStreamEndCapture(stream_, &graph));
  cudaGraphNode_t from = nullptr;
  cudaGraphNode_t to = nullptr;
  cudaGraphEdgeData edge{};
  size_t count = 1;
  // Data that the caller has no room for are not passed over.
  EXPECT_EQ(cudaErrorLossyQuery,
            cudaGraphGetEdges(graph, &from, &to, nullptr, &count));
  ASSERT_OK(cudaGraphGetEdges(graph, &from, &to, &edge, &count));
  EXPECT_EQ(cudaGraphKernelNodePortProgrammatic, edge.from_port);
  EXPECT_EQ(cudaGraphDependencyTypeProgrammatic, edge.type);
  // An edge is removed by all of its data.
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaGraphRemoveDependencies(graph, &from, &to, nullptr, 1));
  EXPECT_OK(cudaGraphRemoveDependencies(graph, &from, &to, &edge, 1));
  edge.to_port = 1;
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaGraphAddDependencies(graph, &from, &to, &edge, 1));
  EXPECT_OK(cudaGraphDestroy(graph));
}

}  // namespace

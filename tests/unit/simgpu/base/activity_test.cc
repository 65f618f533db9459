// SPDX-License-Identifier: Apache-2.0
#include "simgpu/base/activity.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "simgpu/launch/handle_facts.h"
#include "simgpu/launch/library_call.h"
#include "tests/unit/simgpu/kernels.h"
#include "tests/unit/simgpu/support.h"

namespace {

using namespace dltap::simgpu;  // NOLINT

class Recorder final : public ActivitySink {
 public:
  void OnApiEnter(const ApiActivity& call) override {
    (call.nested ? nested_calls : calls).emplace_back(call.function->name);
  }
  void OnApiExit(const ApiActivity& call) override {
    (call.nested ? nested_exits : exits).push_back(call);
  }
  void OnKernel(const KernelActivityRecord& kernel) override {
    kernels.push_back(kernel);
  }
  void OnCopy(const CopyActivityRecord& copy) override {
    copies.push_back(copy);
  }
  void OnMemset(const MemsetActivityRecord&) override {}
  void OnSynchronization(const SynchronizationActivityRecord& sync) override {
    synchronizations.push_back(sync);
  }
  void OnEvent(const EventActivityRecord&) override {}
  void OnMemory(const MemoryActivityRecord&) override {}
  void OnPool(const PoolActivityRecord&) override {}
  void OnResource(const ResourceActivityRecord& resource) override {
    resources.push_back(resource);
  }

  std::vector<std::string> calls;
  std::vector<ApiActivity> exits;
  std::vector<std::string> nested_calls;
  std::vector<ApiActivity> nested_exits;
  std::vector<KernelActivityRecord> kernels;
  std::vector<CopyActivityRecord> copies;
  std::vector<SynchronizationActivityRecord> synchronizations;
  std::vector<ResourceActivityRecord> resources;
};

class ActivityTest : public RuntimeTest {
 protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    static auto* const recorder = new Recorder;  // sinks live for ever
    *recorder = Recorder();
    recorder_ = recorder;
    SetActivitySink(recorder_);
    SetActivityMask(~0u);
  }
  void TearDown() override {
    SetActivityMask(0);
    RuntimeTest::TearDown();
  }
  Recorder* recorder_ = nullptr;
};

TEST_F(ActivityTest, KernelCarriesTheCorrelationOfItsLaunch) {
  LaunchScale(data_, 8, stream_);
  ASSERT_EQ(1u, recorder_->kernels.size());
  const KernelActivityRecord& kernel = recorder_->kernels[0];
  EXPECT_STREQ("_Z5ScalePff", kernel.name);
  EXPECT_EQ(8u, kernel.grid.x);
  EXPECT_LT(kernel.place.begin_ns, kernel.place.end_ns);
  EXPECT_EQ(StreamIdOf(stream_), kernel.place.stream_id);
  bool found = false;
  for (const ApiActivity& exit : recorder_->exits) {
    if (exit.correlation_id != kernel.place.correlation_id) continue;
    found = true;
    EXPECT_NE(0u, exit.function->cbid);
    EXPECT_LE(exit.begin_ns, kernel.place.begin_ns);
  }
  EXPECT_TRUE(found);
}

TEST_F(ActivityTest, LibraryKernelHasAnApiRecordOfItsOwn) {
  ASSERT_EQ(Error::kSuccess,
            LaunchLibraryKernel(stream_, {.name = "volta_sgemm_128x64_nn",
                                          .grid = {4, 4, 1},
                                          .duration_ns = 12'345,
                                          .effect = {}}));
  ASSERT_EQ(1u, recorder_->kernels.size());
  const WorkPlace& place = recorder_->kernels[0].place;
  EXPECT_EQ(12'345, place.end_ns - place.begin_ns);
  EXPECT_EQ((std::vector<std::string>{"cudaLaunchKernel"}), recorder_->calls);
  EXPECT_EQ(recorder_->exits[0].correlation_id, place.correlation_id);
}

TEST_F(ActivityTest, DriverCallOfTheRuntimeHasTheIdOfItsCall) {
  LaunchScale(data_, 8, stream_);
  EXPECT_EQ((std::vector<std::string>{"cuLaunchKernel"}),
            recorder_->nested_calls);
  ASSERT_EQ(1u, recorder_->kernels.size());
  ASSERT_EQ(1u, recorder_->nested_exits.size());
  EXPECT_EQ(recorder_->kernels[0].place.correlation_id,
            recorder_->nested_exits[0].correlation_id);
  EXPECT_EQ(recorder_->kernels[0].place.correlation_id,
            recorder_->exits.back().correlation_id);
}

TEST_F(ActivityTest, DriverCallOfTheRuntimeIsForCallbacksOnly) {
  SetActivityMask(~uint32_t{kApiCallbacks});
  LaunchScale(data_, 8, stream_);
  EXPECT_TRUE(recorder_->nested_calls.empty());
  ASSERT_EQ(1u, recorder_->kernels.size());
  EXPECT_EQ(recorder_->kernels[0].place.correlation_id,
            recorder_->exits.back().correlation_id);
}

TEST_F(ActivityTest, ReplayedNodeNamesItsExecAndClone) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  ASSERT_OK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
  LaunchScale(data_, 1, stream_);
  ASSERT_OK(cudaStreamEndCapture(stream_, &graph));
  EXPECT_TRUE(recorder_->kernels.empty());
  ASSERT_OK(cudaGraphInstantiate(&exec, graph, 0));
  uint64_t clone_id = 0;
  for (const auto& resource : recorder_->resources) {
    if (resource.event == ResourceEvent::kGraphNodeCloned) {
      clone_id = GraphNodeIdOf(resource.node);
      EXPECT_NE(GraphNodeIdOf(resource.original_node), clone_id);
    }
  }
  ASSERT_OK(cudaGraphLaunch(exec, stream_));
  ASSERT_OK(cudaGraphLaunch(exec, stream_));
  ASSERT_EQ(2u, recorder_->kernels.size());
  for (const auto& kernel : recorder_->kernels) {
    EXPECT_EQ(clone_id, kernel.place.graph_node_id);
    EXPECT_EQ(GraphExecIdOf(exec), kernel.place.graph_id);
  }
  EXPECT_NE(recorder_->kernels[0].place.correlation_id,
            recorder_->kernels[1].place.correlation_id);
  EXPECT_GE(recorder_->kernels[1].place.begin_ns,
            recorder_->kernels[0].place.end_ns);
  EXPECT_OK(cudaGraphExecDestroy(exec));
  EXPECT_OK(cudaGraphDestroy(graph));
}

TEST_F(ActivityTest, CopyTellsDirectionAndKinds) {
  int host = 0;
  ASSERT_OK(cudaMemcpy(data_, &host, sizeof(host), cudaMemcpyHostToDevice));
  ASSERT_EQ(1u, recorder_->copies.size());
  const CopyActivityRecord& copy = recorder_->copies[0];
  EXPECT_EQ(CopyDirection::kHostToDevice, copy.direction);
  EXPECT_EQ(MemoryKind::kPageable, copy.source_kind);
  EXPECT_EQ(MemoryKind::kDevice, copy.destination_kind);
  EXPECT_FALSE(copy.asynchronous);
}

TEST_F(ActivityTest, FailedCallShowsItsResult) {
  EXPECT_EQ(cudaErrorInvalidDevice, cudaSetDevice(99));
  ASSERT_EQ(1u, recorder_->exits.size());
  EXPECT_EQ(cudaErrorInvalidDevice, recorder_->exits[0].result);
}

TEST_F(ActivityTest, SynchronizationLastsUntilTheWorkIsOver) {
  LaunchScale(data_, 1 << 16, stream_);
  ASSERT_OK(cudaStreamSynchronize(stream_));
  ASSERT_EQ(1u, recorder_->synchronizations.size());
  const auto& sync = recorder_->synchronizations[0];
  EXPECT_EQ(SynchronizationKind::kStream, sync.kind);
  EXPECT_GE(sync.place.end_ns, recorder_->kernels[0].place.end_ns);
}

}  // namespace

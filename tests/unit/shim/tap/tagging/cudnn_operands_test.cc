// SPDX-License-Identifier: Apache-2.0
#include <cudnn_graph.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "shim/tap/entry/hook_call.h"
#include "shim/tap/tagging/object_hooks.h"
#include "shim/tap/tagging/variant_pack.h"
#include "tests/unit/shim/tap/tagging/cudnn_backend.h"
#include "tests/unit/shim/tap/tagging/fake_tagging_runtime.h"

namespace dltap::shim::tagging {
namespace {

constexpr int64_t kX = 'x', kW = 'w', kY = 'y';
constexpr uint64_t kAtX = 0x1000, kAtW = 0x2000, kAtY = 0x3000;
const std::vector<int64_t> kInput = {32, 3, 224, 224};
const std::vector<int64_t> kFilter = {64, 3, 7, 7};
const std::vector<int64_t> kOutput = {32, 64, 112, 112};

// Where the tensors of an execution lie, as records get it.
class CudnnOperandsTest : public ::testing::Test {
 protected:
  // X, W and Y of a forward convolution, finalized or not.
  void* Convolution(void* x, void* w, void* y) {
    void* op =
        cudnn_.Create(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
    cudnn_.SetDescriptors(op, 704, {x});
    cudnn_.SetDescriptors(op, 703, {w});
    cudnn_.SetDescriptors(op, 705, {y});
    return op;
  }
  void* Tensor(int64_t uid, const std::vector<int64_t>& dims, int flag = 0) {
    return cudnn_.TensorOf(uid, dims, CUDNN_DATA_HALF, flag);
  }
  void* Plan() {
    return cudnn_.Plan(cudnn_.Graph({Convolution(
        Tensor(kX, kInput), Tensor(kW, kFilter), Tensor(kY, kOutput))}));
  }
  void* Pack() { return cudnn_.Pack({kY, kX, kW}, {kAtY, kAtX, kAtW}); }

  static void ExpectAll(const PackedExecute& call) {
    EXPECT_EQ(call.x, kAtX);
    EXPECT_EQ(call.w, kAtW);
    EXPECT_EQ(call.y, kAtY);
    EXPECT_EQ(call.extra, 0u);
  }
  static void ExpectNone(const PackedExecute& call) {
    EXPECT_EQ(call.x | call.w | call.y | call.extra | call.workspace, 0u);
  }

  FakeTaggingRuntime runtime_;
  CudnnBackend backend_ = AgreeableBackend();
  TappedCudnn cudnn_{backend_};
};

TEST_F(CudnnOperandsTest, AreFoundByTheirIdsWhateverTheirOrder) {
  const PackedExecute call = PackExecute(Plan(), Pack());
  ExpectAll(call);
  EXPECT_NE(call.operation, 0u);
  EXPECT_EQ(runtime_.losses, 0);
}

// The vendor's library keeps to the order and types that the hooks rely on.
TEST_F(CudnnOperandsTest, TheVendorTakesSuchAPack) {
  const CudnnBackend vendor = VendorBackend();
  if (!vendor.available()) GTEST_SKIP() << "no libcudnn at hand";
  TappedCudnn cudnn(vendor);
  void* pack = cudnn.Pack({kY, kX, kW}, {kAtY, kAtX, kAtW});
  cudnn.SetPointers(pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, {0x9000});
  EXPECT_EQ(cudnn.Finalize(pack), CUDNN_STATUS_SUCCESS);
  ExpectAll(PackExecute(Plan(), pack));
}

TEST_F(CudnnOperandsTest, AReusedPackHasItsLatestPointers) {
  void* plan = Plan();
  void* pack = Pack();
  ExpectAll(PackExecute(plan, pack));
  cudnn_.SetPointers(pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS,
                     {0x30, 0x10, 0x20});
  const PackedExecute call = PackExecute(plan, pack);
  EXPECT_EQ(call.x, 0x10u);
  EXPECT_EQ(call.w, 0x20u);
  EXPECT_EQ(call.y, 0x30u);
}

// One that is refused changes nothing.
TEST_F(CudnnOperandsTest, ARefusedAttributeIsNotTaken) {
  void* plan = Plan();
  void* pack = Pack();
  const uint64_t other[] = {1, 2, 3};
  hooks::CudnnBackendSet::After(CUDNN_STATUS_BAD_PARAM, pack, 1001,
                                CUDNN_TYPE_VOID_PTR, 3, other);
  ExpectAll(PackExecute(plan, pack));
}

TEST_F(CudnnOperandsTest, AnAttributeOfAnotherTypeIsNotRead) {
  void* plan = Plan();
  void* pack = Pack();
  const uint8_t small[] = {1, 2, 3};
  hooks::CudnnBackendSet::After(0, pack, 1001, CUDNN_TYPE_BOOLEAN, 3, small);
  ExpectAll(PackExecute(plan, pack));
}

TEST_F(CudnnOperandsTest, APackWithoutATensorOfTheGraphIsCounted) {
  const PackedExecute call =
      PackExecute(Plan(), cudnn_.Pack({kX, kW, 7}, {kAtX, kAtW, kAtY}));
  EXPECT_EQ(call.x, kAtX);
  EXPECT_EQ(call.y, 0u);
  EXPECT_NE(call.operation, 0u);
  EXPECT_EQ(runtime_.losses, 1);
}

TEST_F(CudnnOperandsTest, IdsThatTheGraphDoesNotHaveAreLeftAlone) {
  ExpectAll(PackExecute(
      Plan(), cudnn_.Pack({1, kX, 2, kW, 3, kY}, {9, kAtX, 9, kAtW, 9, kAtY})));
  EXPECT_EQ(runtime_.losses, 0);
}

// Wherever the ids stand, in packs of any length, with others between them.
TEST_F(CudnnOperandsTest, TheOrderOfAPackDoesNotMatter) {
  void* plan = Plan();
  std::vector<int> order = {0, 1, 2, 3, 4};
  const int64_t uids[] = {kX, kW, kY, 7, 8};
  const uint64_t pointers[] = {kAtX, kAtW, kAtY, 0xBAD, 0xBAD};
  do {
    for (size_t length = 1; length <= order.size(); ++length) {
      std::vector<int64_t> some_uids;
      std::vector<uint64_t> some_pointers;
      uint64_t expected[3] = {};
      for (size_t i = 0; i < length; ++i) {
        some_uids.push_back(uids[order[i]]);
        some_pointers.push_back(pointers[order[i]]);
        if (order[i] < 3) expected[order[i]] = pointers[order[i]];
      }
      void* pack = cudnn_.Pack(some_uids, some_pointers);
      const PackedExecute call = PackExecute(plan, pack);
      EXPECT_EQ(call.x, expected[0]);
      EXPECT_EQ(call.w, expected[1]);
      EXPECT_EQ(call.y, expected[2]);
      cudnn_.Destroy(pack);
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_F(CudnnOperandsTest, APackThatNobodySawIsCounted) {
  int stranger = 0;
  const PackedExecute call = PackExecute(Plan(), &stranger);
  ExpectNone(call);
  EXPECT_NE(call.operation, 0u);
  EXPECT_EQ(runtime_.losses, 1);
}

TEST_F(CudnnOperandsTest, ADestroyedPackIsUnknown) {
  void* plan = Plan();
  void* pack = Pack();
  cudnn_.Destroy(pack);
  ExpectNone(PackExecute(plan, pack));
  EXPECT_EQ(runtime_.losses, 1);
}

// Its memory comes back with another descriptor, and so does its place here.
TEST_F(CudnnOperandsTest, ANewPackHasNothingOfAnOlderOne) {
  void* plan = Plan();
  cudnn_.Destroy(Pack());
  void* pack = cudnn_.Create(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  ExpectNone(PackExecute(plan, pack));
}

TEST_F(CudnnOperandsTest, AVirtualTensorHasNoAddress) {
  void* y = Tensor(kY, kOutput, CUDNN_ATTR_TENSOR_IS_VIRTUAL);
  void* plan = cudnn_.Plan(
      cudnn_.Graph({Convolution(Tensor(kX, kInput), Tensor(kW, kFilter), y)}));
  const PackedExecute call = PackExecute(plan, Pack());
  EXPECT_EQ(call.x, kAtX);
  EXPECT_EQ(call.y, 0u);
  EXPECT_EQ(runtime_.losses, 0);
}

// A null pointer for a tensor that lies nowhere.
TEST_F(CudnnOperandsTest, ANullPointerIsNoAddressAndNoLoss) {
  const PackedExecute call =
      PackExecute(Plan(), cudnn_.Pack({kX, kW, kY}, {kAtX, kAtW, 0}));
  EXPECT_EQ(call.y, 0u);
  EXPECT_EQ(runtime_.losses, 0);
}

// A scale lies on the host: its address says nothing of the device's memory.
TEST_F(CudnnOperandsTest, AScalarByValueHasNoAddress) {
  void* op = cudnn_.Create(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  cudnn_.SetDescriptors(op, 751, {Tensor(kX, {8, 16, 1, 1})});
  cudnn_.SetDescriptors(
      op, 752, {Tensor(kW, {1, 1, 1, 1}, CUDNN_ATTR_TENSOR_IS_BY_VALUE)});
  cudnn_.SetDescriptors(op, 753, {Tensor(kY, {8, 16, 1, 1})});
  const PackedExecute call =
      PackExecute(cudnn_.Plan(cudnn_.Graph({op})), Pack());
  EXPECT_EQ(call.x, kAtX);
  EXPECT_EQ(call.w, 0u);
  EXPECT_EQ(call.y, kAtY);
}

// Readers take sizes from the operation's one type.
TEST_F(CudnnOperandsTest, ATensorOfAnotherTypeHasNoAddress) {
  void* y = cudnn_.TensorOf(kY, kOutput, CUDNN_DATA_FLOAT);
  void* plan = cudnn_.Plan(
      cudnn_.Graph({Convolution(Tensor(kX, kInput), Tensor(kW, kFilter), y)}));
  const PackedExecute call = PackExecute(plan, Pack());
  EXPECT_EQ(call.x, kAtX);
  EXPECT_EQ(call.y, 0u);
}

// A convolution whose result goes through an activation: what comes out.
TEST_F(CudnnOperandsTest, TheResultOfAFusedGraphStandsForTheVirtualOne) {
  constexpr int64_t kVirtual = 1000;
  void* between = Tensor(kVirtual, kOutput, CUDNN_ATTR_TENSOR_IS_VIRTUAL);
  void* relu = cudnn_.Create(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  cudnn_.SetDescriptors(relu, 751, {between});
  cudnn_.SetDescriptors(relu, 753, {Tensor(kY, kOutput)});
  void* conv = Convolution(Tensor(kX, kInput), Tensor(kW, kFilter), between);
  ExpectAll(PackExecute(cudnn_.Plan(cudnn_.Graph({conv, relu})), Pack()));
}

// ... but not where it is of another size: a sum, say.
TEST_F(CudnnOperandsTest, AResultOfAnotherSizeDoesNotStandForIt) {
  void* between = Tensor(1000, kOutput, CUDNN_ATTR_TENSOR_IS_VIRTUAL);
  void* sum = cudnn_.Create(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
  cudnn_.SetDescriptors(sum, 1610, {between});
  cudnn_.SetDescriptors(sum, 1611, {Tensor(kY, {1, 64, 1, 1})});
  void* conv = Convolution(Tensor(kX, kInput), Tensor(kW, kFilter), between);
  EXPECT_EQ(PackExecute(cudnn_.Plan(cudnn_.Graph({conv, sum})), Pack()).y, 0u);
}

TEST_F(CudnnOperandsTest, TwoPlansOfOneOperationMayNameTensorsOtherwise) {
  void* first = Plan();
  void* second = cudnn_.Plan(cudnn_.Graph({Convolution(
      Tensor(1, kInput), Tensor(2, kFilter), Tensor(3, kOutput))}));
  const PackedExecute a = PackExecute(first, Pack());
  const PackedExecute b =
      PackExecute(second, cudnn_.Pack({1, 2, 3}, {kAtX, kAtW, kAtY}));
  ExpectAll(a);
  ExpectAll(b);
  EXPECT_EQ(a.operation, b.operation);
}

TEST_F(CudnnOperandsTest, AWorkspaceHasTheSizeThatThePlanSaid) {
  void* plan = Plan();
  void* pack = Pack();
  cudnn_.SetPointers(pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, {0x9000});
  EXPECT_EQ(PackExecute(plan, pack).workspace, 0u);  // nobody asked for it
  int64_t count = 1;
  int64_t bytes = 4096;
  hooks::CudnnBackendGet::After(0, plan,
                                CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
                                CUDNN_TYPE_INT64, 1, &count, &bytes);
  EXPECT_EQ(PackExecute(plan, pack).workspace, 0x9000u);
  EXPECT_EQ(PackExecute(plan, pack).workspace_bytes, 4096u);
  cudnn_.SetPointers(pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, {0xA000});
  EXPECT_EQ(PackExecute(plan, pack).workspace, 0xA000u);
}

// The shapes of the operation are not those of the call.
TEST_F(CudnnOperandsTest, APackOfOtherShapesTellsNothing) {
  void* plan = Plan();
  void* pack = Pack();
  cudnn_.SetInts(pack, 1010, {kX});
  ExpectNone(PackExecute(plan, pack));
  EXPECT_EQ(runtime_.losses, 1);
}

TEST_F(CudnnOperandsTest, OfMoreTensorsThanAPackKeepsTheFirstAreFound) {
  constexpr int kMany = VariantPack::kMaxTensors + 40;
  std::vector<int64_t> uids(kMany);
  std::iota(uids.begin(), uids.end(), 5000);
  std::vector<uint64_t> pointers(kMany, 0xBAD);
  uids[0] = kX, pointers[0] = kAtX;
  uids[VariantPack::kMaxTensors - 1] = kW;
  pointers[VariantPack::kMaxTensors - 1] = kAtW;
  uids[kMany - 1] = kY, pointers[kMany - 1] = kAtY;
  const PackedExecute call = PackExecute(Plan(), cudnn_.Pack(uids, pointers));
  EXPECT_EQ(call.x, kAtX);
  EXPECT_EQ(call.w, kAtW);
  EXPECT_EQ(call.y, 0u);
  EXPECT_EQ(runtime_.losses, 1);
}

TEST_F(CudnnOperandsTest, MorePointersThanIdsAreNotLookedAt) {
  const PackedExecute call =
      PackExecute(Plan(), cudnn_.Pack({kX, kW}, {kAtX, kAtW, kAtY}));
  EXPECT_EQ(call.x, kAtX);
  EXPECT_EQ(call.y, 0u);
}

// A plan of a text has no graph, and so no ids.
TEST_F(CudnnOperandsTest, ARestoredPlanIsCounted) {
  void* plan = cudnn_.Create(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  const char json[] = R"({"engine":"sm80_xmma_fprop_implicit_gemm"})";
  hooks::CudnnBackendSet::After(0, plan, 405, CUDNN_TYPE_CHAR, sizeof(json),
                                json);
  const PackedExecute call = PackExecute(plan, Pack());
  ExpectNone(call);
  EXPECT_NE(call.operation, 0u);
  EXPECT_EQ(runtime_.losses, 1);
}

TEST_F(CudnnOperandsTest, GradientsStandInTheSlotsOfWhatTheyAreOf) {
  void* op = cudnn_.Create(
      CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR);
  cudnn_.SetDescriptors(op, 716, {Tensor(kX, kInput)});
  cudnn_.SetDescriptors(op, 715, {Tensor(kW, kFilter)});
  cudnn_.SetDescriptors(op, 717, {Tensor(kY, kOutput)});
  ExpectAll(PackExecute(cudnn_.Plan(cudnn_.Graph({op})), Pack()));
}

TEST_F(CudnnOperandsTest, AttentionHasItsFourTensors) {
  void* op = cudnn_.Create(CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR);
  const std::vector<int64_t> dims = {2, 16, 128, 64};
  for (int i = 0; i < 4; ++i) {
    cudnn_.SetDescriptors(op, 2800 + i, {Tensor(10 + i, dims)});
  }
  const PackedExecute call =
      PackExecute(cudnn_.Plan(cudnn_.Graph({op})),
                  cudnn_.Pack({10, 11, 12, 13}, {0xA, 0xB, 0xC, 0xD}));
  EXPECT_EQ(call.x, 0xAu);
  EXPECT_EQ(call.w, 0xBu);
  EXPECT_EQ(call.y, 0xCu);
  EXPECT_EQ(call.extra, 0xDu);
}

// A wrapper library may keep one pack and lock it around setting and running.
TEST_F(CudnnOperandsTest, ThreadsThatTakeTurnsSeeTheirOwnPointers) {
  void* plan = Plan();
  void* pack = Pack();
  std::atomic<int> turn{0};
  std::atomic<int> wrong{0};
  const auto run = [&](int self) {
    for (uint64_t i = 1; i <= 2000; ++i) {
      while (turn.load(std::memory_order_acquire) != self) {
        std::this_thread::yield();
      }
      const uint64_t at = i * 16 + static_cast<uint64_t>(self);
      const uint64_t pointers[] = {at + 2, at, at + 1};
      hooks::CudnnBackendSet::After(0, pack, 1001, CUDNN_TYPE_VOID_PTR, 3,
                                    pointers);
      const PackedExecute call = PackExecute(plan, pack);
      wrong += call.x != at || call.w != at + 1 || call.y != at + 2;
      turn.store(1 - self, std::memory_order_release);
    }
  };
  std::thread other(run, 1);
  run(0);
  other.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(CudnnOperandsTest, PacksAndPlansAreGivenBack) {
  for (int i = 0; i < 70'000; ++i) {
    void* pack = cudnn_.Create(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    void* plan = cudnn_.Create(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    cudnn_.Destroy(plan);
    cudnn_.Destroy(pack);
  }
  EXPECT_EQ(runtime_.losses, 0);
}

// The call's arguments may be no objects at all.
TEST_F(CudnnOperandsTest, AFailedCallPacksZeros) {
  PackedExecute call;
  memset(static_cast<void*>(&call), 0xFF, sizeof(call));
  constexpr int kBytes = 52;
  CallPack<hooks::CudnnExecute, kBytes>(reinterpret_cast<uint8_t*>(&call),
                                        false, static_cast<void*>(nullptr),
                                        static_cast<void*>(nullptr));
  ExpectNone(call);
  EXPECT_EQ(call.operation, 0u);
  EXPECT_EQ(runtime_.losses, 0);
}

}  // namespace
}  // namespace dltap::shim::tagging

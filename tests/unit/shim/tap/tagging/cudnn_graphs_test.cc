// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/tagging/cudnn_graphs.h"

#include <cudnn_graph.h>
#include <gtest/gtest.h>

#include <string>

#include "shim/tap/tagging/object_hooks.h"
#include "tests/unit/shim/tap/tagging/cudnn_backend.h"
#include "tests/unit/shim/tap/tagging/fake_tagging_runtime.h"

namespace dltap::shim::tagging {
namespace {

using opmodel::Dim;
using opmodel::DType;
using opmodel::Operation;
using opmodel::OpKind;

// Every test runs against a backend that agrees to everything, and, where the
// toolkit is there, against the real libcudnn.
class CudnnGraphsTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    static const CudnnBackend agreeable = AgreeableBackend();
    static const CudnnBackend vendor = VendorBackend();
    backend_ = GetParam() == agreeable.name ? &agreeable : &vendor;
    if (!backend_->available()) GTEST_SKIP() << "no libcudnn at hand";
    cudnn_ = new TappedCudnn(*backend_);
  }
  void TearDown() override { delete cudnn_; }

  // What executing `plan` would record.
  std::vector<Operation> Executed(void* plan) {
    const uint32_t id = PackExecute(plan, nullptr).operation;
    return id == 0 ? std::vector<Operation>{} : runtime_.operations[id];
  }

  void* ConvolutionDescriptor() {
    void* conv = cudnn_->Create(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
    cudnn_->SetInts(conv, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, {2});
    cudnn_->SetType(conv, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_DATA_FLOAT);
    cudnn_->SetMode(conv, CUDNN_ATTR_CONVOLUTION_CONV_MODE,
                    CUDNN_TYPE_CONVOLUTION_MODE, CUDNN_CROSS_CORRELATION);
    cudnn_->SetInts(conv, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, {3, 3});
    cudnn_->SetInts(conv, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, {3, 3});
    cudnn_->SetInts(conv, CUDNN_ATTR_CONVOLUTION_DILATIONS, {1, 1});
    cudnn_->SetInts(conv, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, {2, 2});
    EXPECT_EQ(cudnn_->Finalize(conv), CUDNN_STATUS_SUCCESS);
    return conv;
  }

  // The first convolution of ResNet-50, batch 32.
  void* Convolution(cudnnBackendDescriptorType_t type, int x, int w, int y,
                    int desc, cudnnDataType_t data) {
    void* op = cudnn_->Create(type);
    cudnn_->SetDescriptors(op, x, {cudnn_->Tensor({32, 3, 224, 224}, data)});
    cudnn_->SetDescriptors(op, w, {cudnn_->Tensor({64, 3, 7, 7}, data)});
    cudnn_->SetDescriptors(op, y, {cudnn_->Tensor({32, 64, 112, 112}, data)});
    cudnn_->SetDescriptors(op, desc, {ConvolutionDescriptor()});
    // ALPHA and BETA are the two attributes before DESC in each direction.
    cudnn_->SetDouble(op, desc - 2, 1);
    cudnn_->SetDouble(op, desc - 1, 0);
    EXPECT_EQ(cudnn_->Finalize(op), CUDNN_STATUS_SUCCESS);
    return op;
  }

  static void ExpectResNetDims(const Operation& op) {
    EXPECT_EQ(op[Dim::kBatch], 32);
    EXPECT_EQ(op[Dim::kChannelsIn], 3);
    EXPECT_EQ(op[Dim::kHeightIn], 224);
    EXPECT_EQ(op[Dim::kDepthIn], 1);
    EXPECT_EQ(op[Dim::kChannelsOut], 64);
    EXPECT_EQ(op[Dim::kFilterHeight], 7);
    EXPECT_EQ(op[Dim::kFilterWidth], 7);
    EXPECT_EQ(op[Dim::kWidthOut], 112);
    EXPECT_EQ(op[Dim::kGroups], 1);
  }

  FakeTaggingRuntime runtime_;
  const CudnnBackend* backend_ = nullptr;
  TappedCudnn* cudnn_ = nullptr;
};

TEST_P(CudnnGraphsTest, DecodesConvolutionForward) {
  void* op = Convolution(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
                         704, 703, 705, 702, CUDNN_DATA_HALF);
  const auto nodes = Executed(cudnn_->Plan(cudnn_->Graph({op})));
  ASSERT_EQ(nodes.size(), 1u);
  EXPECT_EQ(nodes[0].kind, OpKind::kConvForward);
  EXPECT_EQ(nodes[0].storage, DType::kF16);
  EXPECT_EQ(nodes[0].math, DType::kF16);
  ExpectResNetDims(nodes[0]);
}

TEST_P(CudnnGraphsTest, DecodesConvolutionBackward) {
  void* data =
      Convolution(CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
                  710, 709, 711, 708, CUDNN_DATA_FLOAT);
  void* filter = Convolution(
      CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR, 716, 715,
      717, 714, CUDNN_DATA_FLOAT);
  const auto nodes = Executed(cudnn_->Plan(cudnn_->Graph({data, filter})));
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes[0].kind, OpKind::kConvBackwardData);
  EXPECT_EQ(nodes[0].math, DType::kTf32);
  ExpectResNetDims(nodes[0]);
  EXPECT_EQ(nodes[1].kind, OpKind::kConvBackwardWeight);
  ExpectResNetDims(nodes[1]);
}

TEST_P(CudnnGraphsTest, DescriptorsMayDieBeforeThePlanRuns) {
  void* op = Convolution(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
                         704, 703, 705, 702, CUDNN_DATA_HALF);
  void* graph = cudnn_->Graph({op});
  void* plan = cudnn_->Plan(graph);
  cudnn_->Destroy(op);
  cudnn_->Destroy(graph);
  // Their addresses come back as something else at once.
  cudnn_->Tensor({1, 1, 1, 1}, CUDNN_DATA_DOUBLE);
  const auto nodes = Executed(plan);
  ASSERT_EQ(nodes.size(), 1u);
  ExpectResNetDims(nodes[0]);
}

TEST_P(CudnnGraphsTest, APlanAtTheAddressOfADestroyedOneIsUnknown) {
  void* op = Convolution(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
                         704, 703, 705, 702, CUDNN_DATA_HALF);
  void* plan = cudnn_->Plan(cudnn_->Graph({op}));
  cudnn_->Destroy(plan);
  EXPECT_TRUE(Executed(plan).empty());
}

TEST_P(CudnnGraphsTest, HeuristicsHandTheGraphToTheirResults) {
  void* op = Convolution(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
                         704, 703, 705, 702, CUDNN_DATA_HALF);
  void* graph = cudnn_->Graph({op});
  void* heuristics = cudnn_->Create(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  void* results[2] = {cudnn_->Create(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR),
                      cudnn_->Create(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR)};
  void* plan = cudnn_->Create(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  hooks::CudnnBackendSet::After(0, heuristics,
                                CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH,
                                CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &graph);
  int64_t count = 2;
  hooks::CudnnBackendGet::After(0, heuristics, CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                CUDNN_TYPE_BACKEND_DESCRIPTOR, 2, &count,
                                results);
  hooks::CudnnBackendSet::After(0, plan,
                                CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG,
                                CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &results[1]);
  ASSERT_EQ(Executed(plan).size(), 1u);
  ExpectResNetDims(Executed(plan)[0]);
}

TEST_P(CudnnGraphsTest, DecodesMatmulWithActivation) {
  void* desc = cudnn_->Create(CUDNN_BACKEND_MATMUL_DESCRIPTOR);
  cudnn_->SetType(desc, CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_DATA_FLOAT);
  EXPECT_EQ(cudnn_->Finalize(desc), CUDNN_STATUS_SUCCESS);
  void* c = cudnn_->Tensor({8, 128, 256}, CUDNN_DATA_BFLOAT16);
  void* matmul = cudnn_->Create(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
  cudnn_->SetDescriptors(matmul, 1520,
                         {cudnn_->Tensor({8, 128, 64}, CUDNN_DATA_BFLOAT16)});
  cudnn_->SetDescriptors(matmul, 1521,
                         {cudnn_->Tensor({8, 64, 256}, CUDNN_DATA_BFLOAT16)});
  cudnn_->SetDescriptors(matmul, 1522, {c});
  cudnn_->SetDescriptors(matmul, 1523, {desc});
  EXPECT_EQ(cudnn_->Finalize(matmul), CUDNN_STATUS_SUCCESS);

  void* relu = cudnn_->Create(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  cudnn_->SetMode(relu, CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE,
                  CUDNN_POINTWISE_RELU_FWD);
  cudnn_->SetType(relu, CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_DATA_FLOAT);
  EXPECT_EQ(cudnn_->Finalize(relu), CUDNN_STATUS_SUCCESS);
  void* activation =
      cudnn_->Create(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  cudnn_->SetDescriptors(activation, 750, {relu});
  cudnn_->SetDescriptors(activation, 751, {c});
  cudnn_->SetDescriptors(activation, 753,
                         {cudnn_->Tensor({8, 128, 256}, CUDNN_DATA_BFLOAT16)});
  EXPECT_EQ(cudnn_->Finalize(activation), CUDNN_STATUS_SUCCESS);

  const auto nodes =
      Executed(cudnn_->Plan(cudnn_->Graph({matmul, activation})));
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes[0].kind, OpKind::kGemm);
  EXPECT_EQ(nodes[0].math, DType::kBf16);
  EXPECT_EQ(nodes[0][Dim::kBatch], 8);
  EXPECT_EQ(nodes[0][Dim::kM], 128);
  EXPECT_EQ(nodes[0][Dim::kN], 256);
  EXPECT_EQ(nodes[0][Dim::kK], 64);
  EXPECT_EQ(nodes[1].kind, OpKind::kActivationForward);
  EXPECT_EQ(nodes[1][Dim::kElementsOut], 8 * 128 * 256);
}

// cudnn-frontend gives K transposed; grouped queries share key heads.
TEST_P(CudnnGraphsTest, DecodesAttentionWhicheverWayKeysLie) {
  for (const std::vector<int64_t>& keys :
       {std::vector<int64_t>{2, 4, 512, 64}, {2, 4, 64, 512}}) {
    void* op = cudnn_->Create(CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR);
    cudnn_->SetDescriptors(op, 2800,
                           {cudnn_->Tensor({2, 16, 128, 64}, CUDNN_DATA_HALF)});
    cudnn_->SetDescriptors(op, 2801, {cudnn_->Tensor(keys, CUDNN_DATA_HALF)});
    cudnn_->SetDescriptors(op, 2802,
                           {cudnn_->Tensor({2, 4, 512, 96}, CUDNN_DATA_HALF)});
    cudnn_->SetDescriptors(op, 2803,
                           {cudnn_->Tensor({2, 16, 128, 96}, CUDNN_DATA_HALF)});
    const auto nodes = Executed(cudnn_->Plan(cudnn_->Graph({op})));
    ASSERT_EQ(nodes.size(), 1u);
    EXPECT_EQ(nodes[0].kind, OpKind::kAttentionForward);
    EXPECT_EQ(nodes[0][Dim::kBatch], 2);
    EXPECT_EQ(nodes[0][Dim::kHeads], 16);
    EXPECT_EQ(nodes[0][Dim::kKvHeads], 4);
    EXPECT_EQ(nodes[0][Dim::kSeqQ], 128);
    EXPECT_EQ(nodes[0][Dim::kSeqKv], 512);
    EXPECT_EQ(nodes[0][Dim::kHeadDim], 64);
    EXPECT_EQ(nodes[0][Dim::kHeadDimV], 96);
  }
}

// The first product of an attention of 2 sequences and 16 heads, 4 of keys.
TEST_P(CudnnGraphsTest, MatmulOfFourAxesTellsItsHeads) {
  void* op = cudnn_->Create(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
  cudnn_->SetDescriptors(op, 1520,
                         {cudnn_->Tensor({2, 16, 128, 64}, CUDNN_DATA_HALF)});
  cudnn_->SetDescriptors(op, 1521,
                         {cudnn_->Tensor({2, 4, 64, 256}, CUDNN_DATA_HALF)});
  cudnn_->SetDescriptors(op, 1522,
                         {cudnn_->Tensor({2, 16, 128, 256}, CUDNN_DATA_FLOAT)});
  const auto nodes = Executed(cudnn_->Plan(cudnn_->Graph({op})));
  ASSERT_EQ(nodes.size(), 1u);
  EXPECT_EQ(nodes[0][Dim::kBatch], 32);
  EXPECT_EQ(nodes[0][Dim::kHeads], 16);
  EXPECT_EQ(nodes[0][Dim::kKvHeads], 4);
  EXPECT_EQ(nodes[0][Dim::kM], 128);
  EXPECT_EQ(nodes[0][Dim::kN], 256);
  EXPECT_EQ(nodes[0][Dim::kK], 64);
}

TEST_P(CudnnGraphsTest, DecodesNormForward) {
  void* op = cudnn_->Create(CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR);
  cudnn_->SetMode(op, 2000, CUDNN_TYPE_NORM_MODE, CUDNN_LAYER_NORM);
  cudnn_->SetMode(op, 2001, CUDNN_TYPE_NORM_FWD_PHASE, CUDNN_NORM_FWD_TRAINING);
  cudnn_->SetDescriptors(op, 2002,
                         {cudnn_->Tensor({32, 768, 1, 1}, CUDNN_DATA_HALF)});
  cudnn_->SetDescriptors(op, 2005,
                         {cudnn_->Tensor({1, 768, 1, 1}, CUDNN_DATA_FLOAT)});
  cudnn_->SetDescriptors(op, 2013,
                         {cudnn_->Tensor({32, 768, 1, 1}, CUDNN_DATA_HALF)});
  const auto nodes = Executed(cudnn_->Plan(cudnn_->Graph({op})));
  ASSERT_EQ(nodes.size(), 1u);
  EXPECT_EQ(nodes[0].kind, OpKind::kNormForward);
  EXPECT_EQ(nodes[0][Dim::kElementsOut], 32 * 768);
  EXPECT_EQ(nodes[0][Dim::kRows], 32);
}

TEST_P(CudnnGraphsTest, AdaptiveNormHasScalesForEachElementOfTheBatch) {
  void* op = cudnn_->Create(CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR);
  cudnn_->SetMode(op, 2000, CUDNN_TYPE_NORM_MODE, CUDNN_ADA_LAYER_NORM);
  cudnn_->SetDescriptors(op, 2002,
                         {cudnn_->Tensor({4, 128, 768}, CUDNN_DATA_HALF)});
  cudnn_->SetDescriptors(op, 2005,
                         {cudnn_->Tensor({4, 1, 768}, CUDNN_DATA_FLOAT)});
  const auto nodes = Executed(cudnn_->Plan(cudnn_->Graph({op})));
  ASSERT_EQ(nodes.size(), 1u);
  EXPECT_EQ(nodes[0][Dim::kRows], 4 * 128);
}

TEST_P(CudnnGraphsTest, TheGroupsOfAGroupNormAreNotGuessed) {
  void* op = cudnn_->Create(CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR);
  cudnn_->SetMode(op, 2000, CUDNN_TYPE_NORM_MODE, CUDNN_GROUP_NORM);
  cudnn_->SetDescriptors(op, 2002,
                         {cudnn_->Tensor({8, 64, 32, 32}, CUDNN_DATA_HALF)});
  cudnn_->SetDescriptors(op, 2005,
                         {cudnn_->Tensor({1, 64, 1, 1}, CUDNN_DATA_FLOAT)});
  const auto nodes = Executed(cudnn_->Plan(cudnn_->Graph({op})));
  ASSERT_EQ(nodes.size(), 1u);
  EXPECT_EQ(nodes[0][Dim::kElementsOut], 0);
  EXPECT_EQ(nodes[0][Dim::kRows], 0);
}

TEST_P(CudnnGraphsTest, ABackwardActivationReadsItsInputAndTheGradient) {
  const std::vector<int64_t> dims = {8, 64, 32, 32};
  void* relu = cudnn_->Create(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  cudnn_->SetMode(relu, CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE,
                  CUDNN_POINTWISE_RELU_BWD);
  cudnn_->SetType(relu, CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_DATA_FLOAT);
  EXPECT_EQ(cudnn_->Finalize(relu), CUDNN_STATUS_SUCCESS);
  void* op = cudnn_->Create(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  cudnn_->SetDescriptors(op, 750, {relu});
  for (const int tensor : {751, 757, 756}) {  // X, DY, DX
    cudnn_->SetDescriptors(op, tensor, {cudnn_->Tensor(dims, CUDNN_DATA_HALF)});
  }
  EXPECT_EQ(cudnn_->Finalize(op), CUDNN_STATUS_SUCCESS);
  const auto nodes = Executed(cudnn_->Plan(cudnn_->Graph({op})));
  ASSERT_EQ(nodes.size(), 1u);
  EXPECT_EQ(nodes[0].kind, OpKind::kActivationBackward);
  EXPECT_EQ(nodes[0][Dim::kElementsIn], 2 * 8 * 64 * 32 * 32);
  EXPECT_EQ(nodes[0][Dim::kElementsOut], 8 * 64 * 32 * 32);
}

// Products of axes that do not fit would trap in a division.
TEST_P(CudnnGraphsTest, AShapeThatNoMemoryHoldsIsNotKnown) {
  constexpr int64_t kHuge = int64_t{1} << 32;
  for (const std::vector<int64_t>& dims :
       {std::vector<int64_t>{1, kHuge, kHuge}, {1, -1, -1}, {1, 0, 4}}) {
    void* op = cudnn_->Create(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
    void* c = cudnn_->Create(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    hooks::CudnnBackendSet::After(0, c, CUDNN_ATTR_TENSOR_DIMENSIONS,
                                  CUDNN_TYPE_INT64, 3, dims.data());
    cudnn_->SetDescriptors(op, 1520,
                           {cudnn_->Tensor({1, 8, 4}, CUDNN_DATA_HALF)});
    hooks::CudnnBackendSet::After(0, op, 1522, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1,
                                  &c);
    const auto nodes = Executed(cudnn_->Plan(cudnn_->Graph({op})));
    ASSERT_EQ(nodes.size(), 1u);
    EXPECT_EQ(nodes[0].kind, OpKind::kGemm);
    EXPECT_EQ(nodes[0][Dim::kM], 0);
  }
}

TEST_P(CudnnGraphsTest, RestoredPlanHasTheKindOfItsText) {
  void* plan = cudnn_->Create(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  const char json[] = R"({"engine":"sm80_xmma_fprop_implicit_gemm"})";
  hooks::CudnnBackendSet::After(0, plan, 405, CUDNN_TYPE_CHAR, sizeof(json),
                                json);
  ASSERT_EQ(Executed(plan).size(), 1u);
  EXPECT_EQ(Executed(plan)[0].kind, OpKind::kConvForward);
  void* backward = cudnn_->Create(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  const char text[] = R"({"name":"native_sdpa_sm90_flash_bprop_wgmma"})";
  hooks::CudnnBackendSet::After(0, backward, 405, CUDNN_TYPE_CHAR, sizeof(text),
                                text);
  ASSERT_EQ(Executed(backward).size(), 1u);
  EXPECT_EQ(Executed(backward)[0].kind, OpKind::kAttentionBackward);
  void* other = cudnn_->Create(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  hooks::CudnnBackendSet::After(0, other, 405, CUDNN_TYPE_CHAR, 2, "{}");
  EXPECT_TRUE(Executed(other).empty());
}

TEST_P(CudnnGraphsTest, RestoredPlanIsTheOneWhoseTextWasRead) {
  const auto read = [&](int size, std::string text) {
    void* op = cudnn_->Create(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
    cudnn_->SetDescriptors(op, 1520,
                           {cudnn_->Tensor({1, size, 8}, CUDNN_DATA_HALF)});
    cudnn_->SetDescriptors(op, 1521,
                           {cudnn_->Tensor({1, 8, 2}, CUDNN_DATA_HALF)});
    cudnn_->SetDescriptors(op, 1522,
                           {cudnn_->Tensor({1, size, 2}, CUDNN_DATA_HALF)});
    void* plan = cudnn_->Plan(cudnn_->Graph({op}));
    int64_t count = static_cast<int64_t>(text.size());
    hooks::CudnnBackendGet::After(0, plan, 405, CUDNN_TYPE_CHAR, count, &count,
                                  text.data());
    return Executed(plan);
  };
  const auto restored = [&](const std::string& text) {
    void* plan = cudnn_->Create(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    hooks::CudnnBackendSet::After(0, plan, 405, CUDNN_TYPE_CHAR,
                                  static_cast<int64_t>(text.size()),
                                  text.data());
    return Executed(plan);
  };
  const std::string text = std::string("a matmul of ") + GetParam();
  const auto nodes = read(4, text);
  ASSERT_EQ(nodes.size(), 1u);
  EXPECT_EQ(nodes[0][Dim::kM], 4);
  const auto same = restored(text + '\0');
  ASSERT_EQ(same.size(), 1u);
  EXPECT_EQ(same[0].dims, nodes[0].dims);
  // What two plans have in common has the kind of its text alone.
  read(16, text);
  const auto either = restored(text);
  ASSERT_EQ(either.size(), 1u);
  EXPECT_EQ(either[0].kind, OpKind::kGemm);
  EXPECT_EQ(either[0][Dim::kM], 0);
}

TEST(CudnnPlanTextsTest, TextsBeyondTheTableAreCounted) {
  FakeTaggingRuntime runtime;
  static CudnnGraphs graphs;
  int descriptor = 0;
  int stranger = 0;
  void* operations[] = {&stranger};
  graphs.Created(&descriptor, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  graphs.WasSet(&descriptor, 801, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, operations);
  for (int i = 0; i < 2000; ++i) {
    const std::string text = std::to_string(i);
    graphs.WasRead(&descriptor, 405, CUDNN_TYPE_CHAR,
                   static_cast<int64_t>(text.size()), text.data());
  }
  // 1,024 of them have room.
  EXPECT_GE(runtime.losses, 2000 - 1024);
  const int losses = runtime.losses;
  graphs.WasRead(&descriptor, 405, CUDNN_TYPE_CHAR, 1, "0");
  EXPECT_EQ(runtime.losses, losses);
}

TEST_P(CudnnGraphsTest, UnknownOperationsAreNodesOfUnknownKind) {
  void* known =
      Convolution(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR, 704,
                  703, 705, 702, CUDNN_DATA_HALF);
  int stranger = 0;
  void* foreign = &stranger;
  hooks::CudnnBackendCreate::After(0, 99, &foreign);
  void* graph = cudnn_->Create(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  void* operations[] = {known, foreign};
  hooks::CudnnBackendSet::After(0, graph, 801, CUDNN_TYPE_BACKEND_DESCRIPTOR, 2,
                                operations);
  const auto nodes = Executed(cudnn_->Plan(graph));
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes[1].kind, OpKind::kUnknown);
  hooks::CudnnBackendDestroy::Before(foreign);
}

// One line more than any pool holds, if destroying did not give back.
TEST_P(CudnnGraphsTest, DescriptorsAreGivenBack) {
  for (int i = 0; i < 40'000; ++i) {
    void* tensor = cudnn_->Create(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    void* op = cudnn_->Create(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
    cudnn_->Destroy(op);
    cudnn_->Destroy(tensor);
  }
  EXPECT_EQ(runtime_.losses, 0);
}

INSTANTIATE_TEST_SUITE_P(Backends, CudnnGraphsTest,
                         ::testing::Values("agreeable", "vendor"),
                         [](const auto& info) {
                           return std::string(info.param);
                         });

}  // namespace
}  // namespace dltap::shim::tagging

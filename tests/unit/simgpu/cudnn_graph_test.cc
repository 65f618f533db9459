// SPDX-License-Identifier: Apache-2.0
// The graph API of the simulated cuDNN: descriptors, heuristics, plans.
#include <cudnn_graph.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/simgpu/kernel_log.h"

namespace dltap::simgpu {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using Descriptor = cudnnBackendDescriptor_t;

Descriptor Create(cudnnBackendDescriptorType_t type) {
  Descriptor descriptor = nullptr;
  EXPECT_EQ(cudnnBackendCreateDescriptor(type, &descriptor),
            CUDNN_STATUS_SUCCESS);
  return descriptor;
}

template <typename T>
void Set(Descriptor descriptor, cudnnBackendAttributeName_t name,
         cudnnBackendAttributeType_t type, const std::vector<T>& values) {
  EXPECT_EQ(cudnnBackendSetAttribute(descriptor, name, type,
                                     static_cast<int64_t>(values.size()),
                                     values.data()),
            CUDNN_STATUS_SUCCESS);
}

void SetDescriptor(Descriptor descriptor, cudnnBackendAttributeName_t name,
                   Descriptor value) {
  Set<Descriptor>(descriptor, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, {value});
}

Descriptor Finalized(Descriptor descriptor) {
  EXPECT_EQ(cudnnBackendFinalize(descriptor), CUDNN_STATUS_SUCCESS);
  return descriptor;
}

Descriptor Tensor(const std::vector<int64_t>& dims, cudnnDataType_t type,
                  const std::vector<int64_t>& strides = {}) {
  const Descriptor tensor = Create(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  Set<int64_t>(tensor, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, dims);
  Set<cudnnDataType_t>(tensor, CUDNN_ATTR_TENSOR_DATA_TYPE,
                       CUDNN_TYPE_DATA_TYPE, {type});
  if (!strides.empty()) {
    Set<int64_t>(tensor, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, strides);
  }
  return Finalized(tensor);
}

Descriptor Graph(const std::vector<Descriptor>& operations) {
  const Descriptor graph = Create(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  Set(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
      operations);
  return Finalized(graph);
}

// The strides are those of input and output, which are of one shape.
Descriptor ConvGraph(cudnnDataType_t type,
                     const std::vector<int64_t>& strides = {}) {
  const Descriptor op =
      Create(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
  SetDescriptor(op, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
                Tensor({32, 64, 56, 56}, type, strides));
  SetDescriptor(op, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
                Tensor({64, 64, 3, 3}, type));
  SetDescriptor(op, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
                Tensor({32, 64, 56, 56}, type, strides));
  const Descriptor graph = Graph({Finalized(op)});
  cudnnBackendDestroyDescriptor(op);  // the graph keeps what it describes
  return graph;
}

std::vector<Descriptor> Configurations(Descriptor graph) {
  const Descriptor heuristics = Create(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  SetDescriptor(heuristics, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
  Finalized(heuristics);
  int64_t count = 0;
  EXPECT_EQ(cudnnBackendGetAttribute(heuristics, CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                     CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, &count,
                                     nullptr),
            CUDNN_STATUS_SUCCESS);
  std::vector<Descriptor> results;
  for (int64_t i = 0; i < count; ++i) {
    results.push_back(Create(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR));
  }
  EXPECT_EQ(cudnnBackendGetAttribute(heuristics, CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                     CUDNN_TYPE_BACKEND_DESCRIPTOR, count,
                                     &count, results.data()),
            CUDNN_STATUS_SUCCESS);
  return results;
}

Descriptor Plan(Descriptor configuration) {
  const Descriptor plan = Create(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  SetDescriptor(plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration);
  return Finalized(plan);
}

class CudnnGraphTest : public ::testing::Test {
 protected:
  CudnnGraphTest() {
    KernelLog::Get();
    EXPECT_EQ(cudnnCreate(&handle_), CUDNN_STATUS_SUCCESS);
    KernelLog::Get().Take();
  }
  ~CudnnGraphTest() override { cudnnDestroy(handle_); }

  std::vector<LoggedKernel> Execute(Descriptor plan) {
    const Descriptor pack = Create(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    EXPECT_EQ(cudnnBackendExecute(handle_, plan, Finalized(pack)),
              CUDNN_STATUS_SUCCESS);
    cudnnBackendDestroyDescriptor(pack);
    return KernelLog::Get().Take();
  }

  cudnnHandle_t handle_ = nullptr;
};

TEST_F(CudnnGraphTest, HeuristicsOfferEnginesThatGetSlower) {
  const auto configurations = Configurations(ConvGraph(CUDNN_DATA_FLOAT));
  ASSERT_GE(configurations.size(), 3u);
  int64_t before_ns = 0;
  for (const Descriptor configuration : configurations) {
    const int64_t ns = SumOfNs(Execute(Plan(configuration)));
    EXPECT_GE(ns + 10, before_ns);
    before_ns = ns;
  }
  const int64_t first_ns = SumOfNs(Execute(Plan(configurations.front())));
  EXPECT_LT(first_ns, before_ns);
}

TEST_F(CudnnGraphTest, HalfPrecisionConvolutionRunsOnTensorCores) {
  const auto kernels =
      Execute(Plan(Configurations(ConvGraph(CUDNN_DATA_BFLOAT16)).front()));
  ASSERT_THAT(kernels, SizeIs(1));
  EXPECT_THAT(kernels[0].name,
              HasSubstr("sm90_xmma_fprop_implicit_gemm_bf16bf16"));
}

// ResNet-50 in NCHW takes 1.2 to 1.5 times as long as in NHWC on an RTX 3090.
TEST_F(CudnnGraphTest, HalfPrecisionTensorsInNchwAreTransformed) {
  const std::vector<int64_t> nchw = {64 * 56 * 56, 56 * 56, 56, 1};
  const std::vector<int64_t> nhwc = {64 * 56 * 56, 1, 56 * 64, 64};
  const auto kernels = [&](const std::vector<int64_t>& strides) {
    return Execute(
        Plan(Configurations(ConvGraph(CUDNN_DATA_HALF, strides)).front()));
  };
  const auto direct = kernels(nhwc);
  ASSERT_THAT(direct, SizeIs(1));
  const auto transformed = kernels(nchw);
  ASSERT_THAT(transformed, SizeIs(3));
  EXPECT_THAT(transformed[0].name, HasSubstr("nchwToNhwcKernel"));
  EXPECT_EQ(transformed[1].name, direct[0].name);
  EXPECT_EQ(transformed[1].ns, direct[0].ns);
  EXPECT_THAT(transformed[2].name, HasSubstr("nhwcToNchwKernel"));
}

TEST_F(CudnnGraphTest, Tf32TensorsInNchwAreTransformed) {
  const std::vector<int64_t> nchw = {64 * 56 * 56, 56 * 56, 56, 1};
  const std::vector<int64_t> nhwc = {64 * 56 * 56, 1, 56 * 64, 64};
  const auto tensor_kernels = [&](const std::vector<int64_t>& strides) {
    for (const Descriptor configuration :
         Configurations(ConvGraph(CUDNN_DATA_FLOAT, strides))) {
      const auto kernels = Execute(Plan(configuration));
      for (const LoggedKernel& kernel : kernels) {
        if (kernel.name.find("tf32") != std::string::npos) return kernels;
      }
    }
    return std::vector<LoggedKernel>();
  };
  EXPECT_THAT(tensor_kernels(nhwc), SizeIs(1));
  const auto transformed = tensor_kernels(nchw);
  ASSERT_THAT(transformed, SizeIs(3));
  EXPECT_THAT(transformed[0].name, HasSubstr("nchwToNhwcKernel<float"));
  EXPECT_THAT(transformed[2].name, HasSubstr("nhwcToNchwKernel<float"));
}

TEST_F(CudnnGraphTest, EveryConfigurationTellsWorkspaceAndSharedMemory) {
  for (const Descriptor configuration :
       Configurations(ConvGraph(CUDNN_DATA_FLOAT))) {
    int64_t workspace = -1;
    int32_t shared = -1;
    int64_t count = 0;
    cudnnBackendGetAttribute(configuration, CUDNN_ATTR_ENGINECFG_WORKSPACE_SIZE,
                             CUDNN_TYPE_INT64, 1, &count, &workspace);
    cudnnBackendGetAttribute(configuration,
                             CUDNN_ATTR_ENGINECFG_SHARED_MEMORY_USED,
                             CUDNN_TYPE_INT32, 1, &count, &shared);
    EXPECT_GE(workspace, 0);
    EXPECT_GT(shared, 0);
  }
}

// PyTorch refuses engines that convert FP32 inputs down, and without TF32 the
// ones that use tensor cores: some of each kind but the first must be left.
TEST_F(CudnnGraphTest, SomeEnginesUseTensorCoresAndNoneConvertsInputs) {
  int with_tensor_cores = 0;
  const auto configurations = Configurations(ConvGraph(CUDNN_DATA_FLOAT));
  for (const Descriptor configuration : configurations) {
    Descriptor engine = Create(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    int64_t count = 0;
    cudnnBackendGetAttribute(configuration, CUDNN_ATTR_ENGINECFG_ENGINE,
                             CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count, &engine);
    int32_t notes[CUDNN_NUMERICAL_NOTE_TYPE_COUNT] = {};
    cudnnBackendGetAttribute(engine, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE,
                             CUDNN_TYPE_NUMERICAL_NOTE,
                             CUDNN_NUMERICAL_NOTE_TYPE_COUNT, &count, notes);
    for (int64_t i = 0; i < count; ++i) {
      EXPECT_NE(notes[i], CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS);
      with_tensor_cores += notes[i] == CUDNN_NUMERICAL_NOTE_TENSOR_CORE;
    }
  }
  EXPECT_GT(with_tensor_cores, 0);
  EXPECT_LT(with_tensor_cores, static_cast<int>(configurations.size()));
}

TEST_F(CudnnGraphTest, TwoProductsAreAttention) {
  const auto matmul = [](const std::vector<int64_t>& a,
                         const std::vector<int64_t>& b,
                         const std::vector<int64_t>& c) {
    const Descriptor op = Create(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
    SetDescriptor(op, CUDNN_ATTR_OPERATION_MATMUL_ADESC,
                  Tensor(a, CUDNN_DATA_BFLOAT16));
    SetDescriptor(op, CUDNN_ATTR_OPERATION_MATMUL_BDESC,
                  Tensor(b, CUDNN_DATA_BFLOAT16));
    SetDescriptor(op, CUDNN_ATTR_OPERATION_MATMUL_CDESC,
                  Tensor(c, CUDNN_DATA_BFLOAT16));
    return Finalized(op);
  };
  const Descriptor graph =
      Graph({matmul({2, 8, 512, 64}, {2, 8, 64, 512}, {2, 8, 512, 512}),
             matmul({2, 8, 512, 512}, {2, 8, 512, 64}, {2, 8, 512, 64})});
  const auto kernels = Execute(Plan(Configurations(graph).front()));
  ASSERT_THAT(kernels, SizeIs(1));
  EXPECT_THAT(kernels[0].name, HasSubstr("sdpa_sm90_flash_fprop"));
  EXPECT_EQ(kernels[0].blocks, 8 * 8 * 2);
}

std::vector<char> JsonOf(Descriptor plan) {
  int64_t count = 0;
  cudnnBackendGetAttribute(plan, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION,
                           CUDNN_TYPE_CHAR, 0, &count, nullptr);
  std::vector<char> json(static_cast<size_t>(count));
  cudnnBackendGetAttribute(plan, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION,
                           CUDNN_TYPE_CHAR, count, &count, json.data());
  return json;
}

TEST_F(CudnnGraphTest, PlanMadeOfItsJsonRunsTheSameKernels) {
  const Descriptor plan =
      Plan(Configurations(ConvGraph(CUDNN_DATA_FLOAT)).front());
  const std::vector<char> json = JsonOf(plan);
  EXPECT_THAT(std::string(json.data()), HasSubstr("\"simulated\":true"));
  const Descriptor again = Create(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  Set<char>(again, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION,
            CUDNN_TYPE_CHAR, json);
  Finalized(again);
  EXPECT_EQ(JsonOf(again), json);
  const auto kernels = Execute(plan);
  const auto same = Execute(again);
  ASSERT_EQ(same.size(), kernels.size());
  for (size_t i = 0; i < kernels.size(); ++i) {
    EXPECT_EQ(same[i].name, kernels[i].name);
    EXPECT_EQ(same[i].blocks, kernels[i].blocks);
  }
}

TEST_F(CudnnGraphTest, JsonThatIsNoPlanIsRefused) {
  std::vector<char> json =
      JsonOf(Plan(Configurations(ConvGraph(CUDNN_DATA_FLOAT)).front()));
  json.resize(json.size() / 2);
  const Descriptor plan = Create(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  Set<char>(plan, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION,
            CUDNN_TYPE_CHAR, json);
  EXPECT_EQ(cudnnBackendFinalize(plan), CUDNN_STATUS_BAD_PARAM);
}

TEST_F(CudnnGraphTest, UnfinalizedDescriptorsAreRefused) {
  const Descriptor plan = Create(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  EXPECT_EQ(cudnnBackendExecute(handle_, plan, plan),
            CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED);
  EXPECT_EQ(cudnnBackendFinalize(plan), CUDNN_STATUS_BAD_PARAM);
  int64_t count = 0;
  EXPECT_EQ(
      cudnnBackendGetAttribute(plan, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
                               CUDNN_TYPE_INT64, 0, &count, nullptr),
      CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED);
}

}  // namespace
}  // namespace dltap::simgpu

// SPDX-License-Identifier: Apache-2.0
#include "simgpu/torch/launch_cost.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "opmodel/device_time.h"

namespace dltap::simgpu {
namespace {

using opmodel::Dim;
using opmodel::OpKind;

constexpr int kElements = 1'000'000;

const opmodel::GpuSpec& Gpu() { return *opmodel::FindGpu("a100-80-sxm"); }

LaunchCost Cost(const std::string& name, const std::vector<void*>& arguments,
                Dim3 grid = {}, Dim3 block = {}) {
  // A rule keeps the name for ever.
  return CostOfLaunch(*MakeLaunchCostRule(strdup(name.c_str())),
                      {arguments.data(), grid, block, Gpu()});
}

double ElementwiseBytes(const std::string& tail) {
  int elements = kElements;
  return Cost("_ZN2at6native" + tail, {&elements}).bytes;
}

TEST(LaunchCostTest, ElementwiseCountsOperandsAndTheSizeOfAnElement) {
  EXPECT_EQ(ElementwiseBytes("29vectorized_elementwise_kernelILi4ENS0_"
                             "11FillFunctorIfEESt5arrayIPcLm1EEEEviT0_T1_"),
            4.0 * kElements);
  EXPECT_EQ(ElementwiseBytes("29vectorized_elementwise_kernelILi4ENS0_"
                             "15CUDAFunctor_addIfEESt5arrayIPcLm3EEEEviT0_T1_"),
            12.0 * kElements);
  EXPECT_EQ(ElementwiseBytes(
                "29vectorized_elementwise_kernelILi8ENS0_"
                "22CUDAFunctorOnSelf_addIN3c108BFloat16EEESt5arrayIPcLm2EEEE"
                "viT0_T1_"),
            4.0 * kElements);
  EXPECT_EQ(
      ElementwiseBytes("27unrolled_elementwise_kernelIZZNS0_16sqrt_kernel_cuda"
                       "ERNS_18TensorIteratorBaseEENKUlvE_clEvEUldE_"
                       "St5arrayIPcLm2EELi4EEviT_T0_"),
      16.0 * kElements);
}

TEST(LaunchCostTest, StridedElementwiseTakesItsOperandsFromTheFunctor) {
  const std::string tail = "EEEvRNS_18TensorIteratorBaseERKT_EUliE_EEviT1_";
  const std::string head =
      "18elementwise_kernelILi128ELi4EZNS0_22gpu_kernel_impl_nocastINS0_";
  EXPECT_EQ(ElementwiseBytes(head + "10AbsFunctorIfE" + tail), 8.0 * kElements);
  EXPECT_EQ(ElementwiseBytes(head + "15CUDAFunctor_addIN3c104HalfEE" + tail),
            6.0 * kElements);
  EXPECT_EQ(ElementwiseBytes(head + "11FillFunctorIdE" + tail),
            8.0 * kElements);
  EXPECT_EQ(ElementwiseBytes(
                "18elementwise_kernelILi128ELi4EZNS0_22gpu_kernel_impl_nocast"
                "IZZZNS0_23direct_copy_kernel_cudaERNS_18TensorIteratorBaseEE"
                "NKUlvE1_clEvENKUlvE8_clEvEUlN3c104HalfEE_EEvS4_RKT_EUliE_EEvi"
                "T1_"),
            4.0 * kElements);
}

TEST(LaunchCostTest, OtherKernelsTellNothing) {
  EXPECT_EQ(ElementwiseBytes("29some_kernel_of_elementsILi128ELi4EEEviT1_"), 0);
  EXPECT_EQ(ElementwiseBytes("29vectorized_elementwise_kernelILi4EEEviT0_T1_"),
            0);
}

TEST(LaunchCostTest, ArgumentsInOneBufferTellNothing) {
  const LaunchCostRule* rule = MakeLaunchCostRule(
      "29vectorized_elementwise_kernelILi4ENS0_"
      "11FillFunctorIfEESt5arrayIPcLm1EEEEviT0_T1_");
  EXPECT_EQ(CostOfLaunch(*rule, {nullptr, {}, {}, Gpu()}).bytes, 0);
}

int64_t RowsNs(OpKind kind, int64_t rows, int64_t width, int64_t inputs = 1) {
  opmodel::Operation op;
  op.kind = kind;
  op.storage = op.math = opmodel::DType::kF32;
  op[Dim::kRows] = rows;
  op[Dim::kElementsIn] = inputs * rows * width;
  op[Dim::kElementsOut] = rows * width;
  return std::llround(TimeOf(op, Gpu())->ns);
}

TEST(LaunchCostTest, LayerNormIsTheOperationThatPredictModels) {
  int width = 4096;
  void* other = nullptr;
  const std::string name =
      "_ZN2at6native28vectorized_layer_norm_kernelIffLb0EE";
  EXPECT_EQ(
      Cost(name + "EviT0_PKT_", {&width, &other}, {8192, 1, 1}).duration_ns,
      RowsNs(OpKind::kNormForward, 8192, 4096));
}

TEST(LaunchCostTest, SoftmaxTakesRowsFromGridOrArgument) {
  int64_t width = 4096;
  int rows = 8192, stride = 512, short_width = 512;
  void* p = nullptr;
  EXPECT_EQ(Cost("_ZN2at6native19cunn_SoftMaxForwardILi4EfffEvPT2_PKT0_i",
                 {&p, &p, &width}, {8192, 1, 1})
                .duration_ns,
            RowsNs(OpKind::kSoftmaxForward, 8192, 4096));
  EXPECT_EQ(Cost("_ZN20softmax_warp_forwardIfffLi9ELb0ELb0EEEvPT0_",
                 {&p, &p, &rows, &stride, &short_width}, {2048, 1, 1})
                .duration_ns,
            RowsNs(OpKind::kSoftmaxForward, 8192, 512));
  EXPECT_EQ(Cost("_ZN20softmax_warp_backwardIfffLi9ELb0ELb0EEEvPT0_",
                 {&p, &p, &p, &rows, &stride, &short_width}, {2048, 1, 1})
                .duration_ns,
            RowsNs(OpKind::kSoftmaxBackward, 8192, 512, 2));
}

TEST(LaunchCostTest, ReductionIsFoundBehindItsFunctor) {
  // 1000 outputs of 4096 inputs each; functor and identity take 8 bytes.
  int32_t op[32] = {0, 0, 4, 4096, 1000, 1, 0, 1, 1, 0, 0, 0, 0, 32, 16, 512};
  const std::string name =
      "_ZN2at6native13reduce_kernelILi512ELi1ENS0_8ReduceOpIfNS0_14func_"
      "wrapper";
  EXPECT_EQ(Cost(name, {op}, {63, 1, 1}, {32, 16, 1}).bytes, 4.0 * 1000 * 4097);
  // Another geometry than the struct's: something else lies there.
  EXPECT_EQ(Cost(name, {op}, {63, 1, 1}, {64, 8, 1}).bytes, 0);
}

// TensorListMetadata<2> of one tensor of 100,000 elements: two chunks.
struct TwoLists {
  void* addresses[2][64];
  int64_t sizes[64] = {100'000};
  unsigned char block_to_tensor[320] = {0, 0};
  int32_t block_to_chunk[320] = {0, 1};
  int32_t start = 0;
};

TEST(LaunchCostTest, ListsOfTensorsCountTheElementsOfTheirChunks) {
  TwoLists lists{};
  const std::string name =
      "_ZN2at6native25multi_tensor_apply_kernelINS1_18TensorListMetadataILi2EEE"
      "NS1_24BinaryOpListAlphaFunctorIfLi2ELi2ELi0EEEJSt4plusIfEfEEEvT_";
  // Two lists are read, one is written.
  EXPECT_EQ(Cost(name, {&lists}, {2, 1, 1}).bytes, 4.0 * 3 * 100'000);
  EXPECT_EQ(Cost(name, {&lists}, {1, 1, 1}).bytes, 4.0 * 3 * 65536);
  lists.block_to_tensor[1] = 200;  // no such tensor
  EXPECT_EQ(Cost(name, {&lists}, {2, 1, 1}).bytes, 0);
}

TEST(LaunchCostTest, ListsOfNewerReleasesHoldMore) {
  struct {
    void* addresses[2][448] = {};
    int64_t sizes[448] = {100'000, 7};
    uint16_t block_to_tensor[2240] = {0, 0, 1};
    int32_t block_to_chunk[2240] = {0, 1, 0};
    int32_t start = 0;
  } lists;
  const std::string name =
      "_ZN2at6native25multi_tensor_apply_kernelINS1_18TensorListMetadataILi2EEE"
      "NS1_24BinaryOpListAlphaFunctorIfLi2ELi2ELi0EEEJSt4plusIfEfEEEvT_";
  // What lies where the older ones have their sizes: nothing, times.
  for (const uintptr_t leftover : {uintptr_t{0}, uintptr_t{1} << 60}) {
    for (auto& address : lists.addresses[0]) {
      address = reinterpret_cast<void*>(leftover);
    }
    EXPECT_EQ(Cost(name, {&lists}, {3, 1, 1}).bytes, 4.0 * 3 * 100'007);
  }
}

TEST(LaunchCostTest, GatherMovesTheSlicesThatItsIndicesName) {
  int count = 640;
  int64_t slice_bytes = 2048;
  void* p = nullptr;
  EXPECT_EQ(Cost("_ZN2at6native24vectorized_gather_kernelILi16ElEEvPcS2_PT0_",
                 {&p, &p, &p, &count, &slice_bytes})
                .bytes,
            2.0 * 640 * 2048);
}

TEST(LaunchCostTest, ConcatenationCopiesEachInput) {
  struct {
    void* inputs[128] = {};
    uint32_t offsets[128] = {}, sizes[128] = {}, counts[128] = {1000, 500};
  } metadata;
  void* output = nullptr;
  EXPECT_EQ(
      Cost("_ZN2at6native19CatArrayBatchedCopyINS1_10OpaqueTypeILj4EEEjLi2"
           "ELi128ELi1EEEvPT_",
           {&output, &metadata}, {10, 2, 1})
          .bytes,
      2.0 * 4 * 1500);
}

// Flash_fwd_params: batch 2, 16 heads, 1024 queries and keys of 64.
struct FlashParams {
  int64_t qkv[12] = {};
  int32_t heads = 16, kv_heads = 16, ratio = 1, padding = 0;
  int64_t outputs[8] = {};
  int32_t batch = 2, queries = 1024, keys = 1024, new_keys = 0, head_dim = 64;
};

TEST(LaunchCostTest, FlashAttentionIsReadFromItsParameters) {
  FlashParams params;
  const std::string head =
      "_ZN13pytorch_flash16flash_fwd_kernelI23Flash_fwd_kernel_"
      "traitsILi64ELi128"
      "ELi64ELi4ELb0ELb0EN7cutlass6half_tE19Flash_kernel_traitsILi64ELi128ELi64"
      "ELi4ES3_EELb0E";
  const auto ns = [&](const std::string& causal, Dim3 grid) {
    return Cost(head + causal + "Lb0ELb0ELb1ELb1ELb0ELb0EEEv", {&params}, grid)
        .duration_ns;
  };
  opmodel::Operation op;
  op.kind = OpKind::kAttentionForward;
  op.storage = op.math = opmodel::DType::kF16;
  op[Dim::kBatch] = 2;
  op[Dim::kHeads] = op[Dim::kKvHeads] = 16;
  op[Dim::kSeqQ] = op[Dim::kSeqKv] = 1024;
  op[Dim::kHeadDim] = op[Dim::kHeadDimV] = 64;
  EXPECT_EQ(ns("Lb0E", {8, 2, 16}), std::llround(TimeOf(op, Gpu())->ns));
  op[Dim::kCausal] = 1;
  EXPECT_EQ(ns("Lb1E", {8, 2, 16}), std::llround(TimeOf(op, Gpu())->ns));
  // Split over keys: blocks stand for something else.
  EXPECT_EQ(ns("Lb0E", {8, 3, 32}), 0);
}

TEST(LaunchCostTest, CutlassAttentionIsReadFromItsParameters) {
  struct {
    int64_t pointers[7] = {};
    int32_t offset = 0, padding = 0;
    int64_t outputs[3] = {};
    int32_t window = 0;
    float scale = 1;
    int32_t head_dim = 64, head_dim_v = 64, queries = 1000, keys = 1000;
    int32_t all_keys = 1000, mask = 0;
  } params;
  const std::string name = "_Z39fmha_cutlassF_f16_aligned_64x64_rf_sm80N";
  EXPECT_GT(Cost(name, {&params}, {16, 12, 4}).duration_ns, 2000);
  EXPECT_EQ(Cost(name, {&params}, {15, 12, 4}).duration_ns, 0);
}

TEST(LaunchCostTest, CutlassGradientIsFoundBehindItsPointers) {
  struct {
    int64_t pointers[16] = {};
    int32_t window = 0;
    float scale = 0.125f;
    int32_t head_dim = 64, head_dim_v = 64, queries = 1000, keys = 1000;
    int32_t heads = 12, mask = 0;
    int64_t more[16] = {};
  } params;
  const std::string name = "_Z43fmha_cutlassB_f16_aligned_64x64_k64_sm80N";
  const auto ns = [&](Dim3 grid) {
    return Cost(name, {&params}, grid).duration_ns;
  };
  const int64_t full_ns = ns({1, 12, 4});
  EXPECT_GT(full_ns, 2000);
  EXPECT_EQ(ns({1, 11, 4}), 0);
  params.mask = 1;
  EXPECT_LT(ns({1, 12, 4}), 0.7 * static_cast<double>(full_ns));
}

}  // namespace
}  // namespace dltap::simgpu

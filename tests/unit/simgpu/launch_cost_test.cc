// SPDX-License-Identifier: Apache-2.0
// The time of a launch, from what it is decoded to.
#include <cuda.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "opmodel/device_time.h"
#include "simgpu/torch/decoder.h"

namespace dltap::simgpu {
namespace {

using opmodel::Dim;
using opmodel::OpKind;

constexpr int kElements = 1'000'000;

const opmodel::GpuSpec& Gpu() { return *opmodel::FindGpu("a100-80-sxm"); }

LaunchCost Cost(const std::string& name, const std::vector<void*>& arguments,
                Dim3 grid = {}, Dim3 block = {}) {
  const std::string demangled = Demangle(name.c_str());
  EXPECT_NE("", demangled) << name;
  const Decoder decoder = FindDecoder(TakeApart(demangled));
  if (!decoder) return {};
  return CostOf(decoder({arguments.data(), grid, block, Gpu()}), Gpu());
}

double ElementwiseBytes(const std::string& tail) {
  int elements = kElements;
  std::array<std::byte, 4096> object{};  // a functor, a lambda, addresses
  return Cost("_ZN2at6native" + tail, {&elements, &object, &object}).bytes;
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
                "21CUDAFunctorOnSelf_addIN3c108BFloat16EEESt5arrayIPcLm2EEEE"
                "viT0_T1_"),
            4.0 * kElements);
  EXPECT_EQ(
      ElementwiseBytes(
          "27unrolled_elementwise_kernelIZZZNS0_16sqrt_kernel_cudaERNS_"
          "18TensorIteratorBaseEENKUlvE0_clEvENKUlvE_clEvEUldE_St5arrayIPcLm2"
          "EELi4E23TrivialOffsetCalculatorILi1EjESB_NS0_6memory15LoadWithout"
          "CastENSC_16StoreWithoutCastEEEviT_T0_T2_T3_T4_T5_"),
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
  EXPECT_EQ(ElementwiseBytes("23some_kernel_of_elementsILi128ELi4EEEvi"), 0);
  EXPECT_EQ(ElementwiseBytes("29vectorized_elementwise_kernelILi4EEEvi"), 0);
}

// Of a kernel in half precision that gets these integers.
double HalfBytes(const std::string& name, std::vector<int64_t> integers,
                 Dim3 grid = {}) {
  integers.resize(24);
  std::vector<void*> arguments;
  for (int64_t& integer : integers) arguments.push_back(&integer);
  return Cost("_ZN2at6native" + std::to_string(name.size()) + name +
                  "IN3c104HalfEiEEviiiii",
              arguments, grid)
      .bytes;
}

// 2 images of 3 channels: 8 x 8 points and 4 x 4, 384 numbers and 96.
TEST(LaunchCostTest, PoolingMovesBothTensorsAndThePlacesOfItsMaxima) {
  constexpr double kMaximum = 384 * 2 + 96 * (2 + 8);
  constexpr double kAverage = 384 * 2 + 96 * 2;
  EXPECT_EQ(HalfBytes("max_pool_forward_nchw", {96, 0, 3, 8, 8, 4, 4}),
            kMaximum);
  EXPECT_EQ(HalfBytes("max_pool_forward_nhwc", {0, 2, 3, 8, 8, 4, 4}),
            kMaximum);
  for (const char* name : {"max_pool_backward_nchw", "max_pool_backward_nhwc"})
    EXPECT_EQ(HalfBytes(name, {0, 0, 2, 3, 8, 8, 4, 4}), kMaximum);
  EXPECT_EQ(HalfBytes("avg_pool2d_out_cuda_frame", {96, 0, 3, 8, 8, 4, 4}),
            kAverage);
  EXPECT_EQ(
      HalfBytes("avg_pool2d_backward_out_cuda_frame", {384, 0, 3, 8, 8, 4, 4}),
      kAverage);
  EXPECT_EQ(HalfBytes("max_pool_forward_nchw", {96, 0, 3, 8, 8, 0, 4}), 0);
}

TEST(LaunchCostTest, UpsamplingMovesBothTensors) {
  constexpr double kBytes = (96 + 384) * 2;
  EXPECT_EQ(HalfBytes("upsample_nearest2d_out_frame", {0, 0, 6, 4, 4, 8, 8}),
            kBytes);
  EXPECT_EQ(HalfBytes("upsample_nearest2d_nhwc_out_frame",
                      {0, 0, 3, 4, 4, 8, 8, 0, 0, 384}),
            kBytes);
}

TEST(LaunchCostTest, BlocksOfStatisticsAndPaddingCountTheirRows) {
  EXPECT_EQ(HalfBytes("RowwiseMomentsCUDAKernel", {1000}, {64, 1, 1}),
            64 * 1000 * 2);
  EXPECT_EQ(HalfBytes("ComputeInternalGradientsCUDAKernel", {100}, {64, 1, 1}),
            64 * 100 * 4);
  EXPECT_EQ(HalfBytes("reflection_pad2d_out_kernel",
                      {0, 0, 6, 8, 1, 1, 1, 1, 0, 0, 3}, {1, 3, 2}),
            6 * (6 * 8 + 8 * 10) * 2);
  EXPECT_EQ(HalfBytes("roll_cuda_kernel", {0, 0, 64, 1, 2, 8, 2, 3}),
            64 * 4);
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
      "_ZN2at6native53_GLOBAL__N__21739cd4_20_layer_norm_kernel_cu_9c5ada8a28"
      "vectorized_layer_norm_kernelIffLb0EEEviT0_PKT_S6_S6_PS3_S7_PS4_";
  EXPECT_EQ(Cost(name, {&width, &other}, {8192, 1, 1}).duration_ns,
            RowsNs(OpKind::kNormForward, 8192, 4096));
}

TEST(LaunchCostTest, SoftmaxTakesRowsFromGridOrArgument) {
  int64_t width = 4096;
  int rows = 8192, stride = 512, short_width = 512;
  void* p = nullptr;
  EXPECT_EQ(Cost("_ZN2at6native43_GLOBAL__N__b6de9c8c_10_SoftMax_cu_"
                 "9f978f6319cunn_SoftM"
                 "axForwardILi4EfffNS1_22SoftMaxForwardEpilogueEEEvPT2_PKT0_i",
                 {&p, &p, &width}, {8192, 1, 1})
                .duration_ns,
            RowsNs(OpKind::kSoftmaxForward, 8192, 4096));
  EXPECT_EQ(Cost("_ZN43_GLOBAL__N__b6de9c8c_10_SoftMax_cu_9f978f6320softmax_"
                 "warp_forward"
                 "IfffLi9ELb0ELb0EEEvPT0_PKT_iiiPKbib",
                 {&p, &p, &rows, &stride, &short_width}, {2048, 1, 1})
                .duration_ns,
            RowsNs(OpKind::kSoftmaxForward, 8192, 512));
  EXPECT_EQ(Cost("_ZN43_GLOBAL__N__b6de9c8c_10_SoftMax_cu_9f978f6321softmax_"
                 "warp_backwar"
                 "dIfffLi9ELb0ELb0EEEvPT0_PKT_S5_iiiPKb",
                 {&p, &p, &p, &rows, &stride, &short_width}, {2048, 1, 1})
                .duration_ns,
            RowsNs(OpKind::kSoftmaxBackward, 8192, 512, 2));
}

TEST(LaunchCostTest, ReductionIsFoundBehindItsFunctor) {
  // 1000 outputs of 4096 inputs each; functor and identity take 8 bytes.
  std::array<int32_t, 512> op = {0, 0, 4, 4096, 1000, 1,  0,  1,
                                 1, 0, 0, 0,    0,    32, 16, 512};
  const std::string name =
      "_ZN2at6native13reduce_kernelILi512ELi1ENS0_8ReduceOpIfNS0_14func_wrapp"
      "er_tIfZNS0_11sum_functorIfffEclERNS_14TensorIteratorEEUlffE_EEjfLi4ELi"
      "4EEEEEvT1_";
  EXPECT_EQ(Cost(name, {&op}, {63, 1, 1}, {32, 16, 1}).bytes,
            4.0 * 1000 * 4097);
  // Another geometry than the struct's: something else lies there.
  EXPECT_EQ(Cost(name, {&op}, {63, 1, 1}, {64, 8, 1}).bytes, 0);
}

constexpr char kAddLists[] =
    "_ZN2at6native55_GLOBAL__N__d25d856e_22_ForeachBinaryOpList_cu_a911ec43"
    "25multi_tensor_apply_kernelINS1_18TensorListMetadataILi2EEENS1_24Binar"
    "yOpListAlphaFunctorIfLi2ELi2ELi0EEEJSt4plusIfEfEEEvT_T0_DpT1_";

// Of the lists' first tensors, which are looked up.
void* DeviceMemory() {
  static CUdeviceptr memory = 0;
  CUcontext context = nullptr;
  if (memory == 0) {
    EXPECT_EQ(CUDA_SUCCESS, cuInit(0));
    EXPECT_EQ(CUDA_SUCCESS, cuDevicePrimaryCtxRetain(&context, 0));
    EXPECT_EQ(CUDA_SUCCESS, cuCtxSetCurrent(context));
    EXPECT_EQ(CUDA_SUCCESS, cuMemAlloc(&memory, 1 << 20));
  }
  return reinterpret_cast<void*>(memory);
}

double ListBytes(void* lists, uint32_t blocks) {
  int functor = 0;
  float alpha = 1;
  return Cost(kAddLists, {lists, &functor, &functor, &alpha}, {blocks, 1, 1})
      .bytes;
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
  lists.addresses[0][0] = lists.addresses[1][0] = DeviceMemory();
  // Two lists are read, one is written.
  EXPECT_EQ(ListBytes(&lists, 2), 4.0 * 3 * 100'000);
  EXPECT_EQ(ListBytes(&lists, 1), 4.0 * 3 * 65536);
  lists.block_to_tensor[1] = 200;  // no such tensor
  EXPECT_EQ(ListBytes(&lists, 2), 0);
}

TEST(LaunchCostTest, ListsOfNewerReleasesHoldMore) {
  struct {
    void* addresses[2][448] = {};
    int64_t sizes[448] = {100'000, 7};
    uint16_t block_to_tensor[2240] = {0, 0, 1};
    int32_t block_to_chunk[2240] = {0, 1, 0};
    int32_t start = 0;
  } lists;
  // What lies where the older ones have their sizes: nothing, times.
  for (const uintptr_t leftover : {uintptr_t{0}, uintptr_t{1} << 60}) {
    for (auto& address : lists.addresses[0]) {
      address = reinterpret_cast<void*>(leftover);
    }
    lists.addresses[0][0] = lists.addresses[1][0] = DeviceMemory();
    EXPECT_EQ(ListBytes(&lists, 3), 4.0 * 3 * 100'007);
  }
}

TEST(LaunchCostTest, GatherMovesTheSlicesThatItsIndicesName) {
  int count = 640;
  int64_t slice_bytes = 2048, rows = 100'000;
  void* p = nullptr;
  EXPECT_EQ(
      Cost(
          "_ZN2at6native24vectorized_gather_kernelILi16ElEEvPcS2_PT0_illllb",
          {&p, &p, &p, &count, &slice_bytes, &rows, &slice_bytes, &slice_bytes})
          .bytes,
      2.0 * 640 * 2048);
}

TEST(LaunchCostTest, ConcatenationCopiesEachInput) {
  struct {
    void* inputs[128] = {};
    uint32_t offsets[128] = {0, 100}, sizes[128] = {100, 50};
    uint32_t counts[128] = {1000, 500};
    bool contiguous[128] = {true, true};
  } metadata;
  void* output = nullptr;
  uint32_t sizes[8] = {10, 150, 0, 0, 150, 1, 0, 0};
  int32_t dimension = 1;
  uint32_t stride = 1;
  EXPECT_EQ(
      Cost(
          "_ZN2at6native40_GLOBAL__N__0f1a8107_8_Shape_cu_"
          "49f7391c19CatArrayBatch"
          "edCopyINS1_10OpaqueTypeILj4EEEjLi2ELi128ELi1EEEvPT_NS1_"
          "25CatArrInputTe"
          "nsorMetadataIS5_T0_XT2_EXT3_EEENS1_16TensorSizeStrideIS8_Lj4EEEiS8_",
          {&output, &metadata, &sizes, &dimension, &stride}, {10, 2, 1})
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
      "_ZN13pytorch_flash16flash_fwd_kernelI23Flash_fwd_kernel_traitsILi64ELi"
      "128ELi64ELi4ELb0ELb0EN7cutlass6half_tE19Flash_kernel_traitsILi64ELi128E"
      "Li64ELi4ES3_EELb0E";
  const auto ns = [&](const std::string& causal, Dim3 grid) {
    return Cost(head + causal +
                    "Lb0ELb0ELb1ELb1ELb0ELb0EEEvNS_16Flash_fwd_"
                    "paramsE",
                {&params}, grid)
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
  const std::string name =
      "_Z39fmha_cutlassF_f16_aligned_64x64_rf_sm80N22PyTorchMemEffAttention15"
      "AttentionKernelIN7cutlass6half_tENS1_4arch4Sm80ELb1ELi64ELi64ELi64ELb1"
      "ELb1EE6ParamsE";
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
  const std::string name =
      "_Z40fmha_cutlassB_f16_aligned_64x64_k64_sm80N22PyTorchMemEffAttention2"
      "3AttentionBackwardKernelIN7cutlass4arch4Sm80ENS1_6half_tELb1ELb0ELb1EL"
      "i64ELi64ELi64ELb0EE6ParamsE";
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

// SPDX-License-Identifier: Apache-2.0
// What launches are decoded to: names as PyTorch 2.11 mangles them (kOldAdd as
// older releases did), parameters laid out as it lays them out.
#include "simgpu/torch/decoder.h"

#include <cuda.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "opmodel/streaming_time.h"
#include "simgpu/torch/tensor_lists.h"

namespace dltap::simgpu {
namespace {

constexpr char kAdd[] =
    "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_addIfE"
    "ESt5arrayIPcLm3EEEEviT0_T1_";
constexpr char kOldAdd[] =
    "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_addIfE"
    "ENS_6detail5ArrayIPcLi3EEEEEviT0_T1_";
constexpr char kOddFunctor[] =
    "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_10OddFunctorIdEESt5a"
    "rrayIPcLm2EEEEviT0_T1_";
constexpr char kCast[] =
    "_ZN2at6native27unrolled_elementwise_kernelIZZZNS0_23direct_copy_kernel_cu"
    "daERNS_18TensorIteratorBaseEENKUlvE1_clEvENKUlvE5_clEvEUlfE_St5arrayIPcLm"
    "2EELi4E23TrivialOffsetCalculatorILi1EjESB_NS0_6memory12LoadWithCastILi1EE"
    "ENSC_13StoreWithCastILi1EEEEEviT_T0_T2_T3_T4_T5_";
constexpr char kStridedAdd[] =
    "_ZN2at6native18elementwise_kernelILi128ELi2EZNS0_22gpu_kernel_impl_nocast"
    "INS0_15CUDAFunctor_addIfEEEEvRNS_18TensorIteratorBaseERKT_EUliE_EEviT1_";
constexpr char kWhere[] =
    "_ZN2at6native18elementwise_kernelILi128ELi2EZNS0_22gpu_kernel_impl_nocast"
    "IZZZNS0_49_GLOBAL__N__d2ba64fb_16_TensorCompare_cu_71e06f4e17where_kernel"
    "_implERNS_14TensorIteratorEENKUlvE_clEvENKUlvE9_clEvEUlbffE_EEvRNS_18Tens"
    "orIteratorBaseERKT_EUliE_EEviT1_";
constexpr char kMean[] =
    "_ZN2at6native13reduce_kernelILi128ELi4ENS0_8ReduceOpIfNS0_7MeanOpsIffffEE"
    "jfLi4ELi4EEEEEvT1_";
constexpr char kIndex[] =
    "_ZN2at6native24index_elementwise_kernelILi128ELi4EZNS0_16gpu_index_kernel"
    "IZNS0_17index_kernel_implINS0_10OpaqueTypeILi8EEEEEvRNS_18TensorIteratorB"
    "aseEN3c108ArrayRefIlEESA_EUlPcPKclE_EEvS7_SA_SA_RKT_bEUliE_EEvlT1_";
constexpr char kGather[] =
    "_ZN2at6native24vectorized_gather_kernelILi16ElEEvPcS2_PT0_illllb";
constexpr char kAdam[] =
    "_ZN2at6native51_GLOBAL__N__f7f2fd5f_18_fused_adam_impl_cu_454205f325multi"
    "_tensor_apply_kernelINS1_32FusedOptimizerTensorListMetadataILi4EEENS1_20F"
    "usedAdamMathFunctorIfLi4ELNS0_9ADAM_MODEE0ELb0EEEJPKfdddddbS9_S9_EEEvT_T0"
    "_DpT1_";
constexpr char kAddLists[] =
    "_ZN2at6native55_GLOBAL__N__d25d856e_22_ForeachBinaryOpList_cu_a911ec4325m"
    "ulti_tensor_apply_kernelINS1_18TensorListMetadataILi3EEENS1_24BinaryOpLis"
    "tAlphaFunctorIfLi3ELi2ELi2EEEJSt4plusIfEfEEEvT_T0_DpT1_";
constexpr char kConcat[] =
    "_ZN2at6native40_GLOBAL__N__0f1a8107_8_Shape_cu_49f7391c19CatArrayBatchedC"
    "opyINS1_10OpaqueTypeILj4EEEjLi2ELi128ELi1EEEvPT_NS1_25CatArrInputTensorMe"
    "tadataIS5_T0_XT2_EXT3_EEENS1_16TensorSizeStrideIS8_Lj4EEEiS8_";
constexpr char kDropout[] =
    "_ZN2at6native43_GLOBAL__N__50f1b6c4_10_Dropout_cu_0e96ed3824fused_dropout"
    "_kernel_vecIffjLi1ELi4EbEEvNS_4cuda6detail10TensorInfoIKT_T1_EENS5_IS6_S8"
    "_EENS5_IT4_S8_EES8_T0_NS_15PhiloxCudaStateE";
constexpr char kLayerNorm[] =
    "_ZN2at6native53_GLOBAL__N__21739cd4_20_layer_norm_kernel_cu_9c5ada8a28vec"
    "torized_layer_norm_kernelIffLb0EEEviT0_PKT_S6_S6_PS3_S7_PS4_";
constexpr char kFlash[] =
    "_ZN13pytorch_flash16flash_fwd_kernelI23Flash_fwd_kernel_traitsILi64ELi128"
    "ELi128ELi4ELb0ELb0EN7cutlass10bfloat16_tE19Flash_kernel_traitsILi64ELi128"
    "ELi128ELi4ES3_EELb0ELb1ELb0ELb0ELb0ELb0ELb0ELb0EEEvNS_16Flash_fwd_paramsE";
constexpr char kDepthwise[] =
    "_ZN2at6native51_GLOBAL__N__a30dace1_18_DepthwiseConv2d_cu_9959487031co"
    "nv_depthwise2d_forward_kernelILi3EN3c104HalfEiEEvN5torch10headeronly6d"
    "etail27GenericPackedTensorAccessorINS7_14TensorAccessorINS3_8ArrayRefI"
    "lEEKT0_Lm3ENS6_16DefaultPtrTraitsEiEENS_6detail16IndexBoundsCheckILm4E"
    "iEESD_Lm4ESE_iEENS8_INS9_ISB_SC_Lm3ESE_iEESI_SC_Lm4ESE_iEESJ_NS8_INS9_"
    "ISB_SD_Lm0ESE_iEENSH_ILm1EiEESD_Lm1ESE_iEEbT1_iiiiiiiiiiiiii";
constexpr char kArange[] =
    "_ZN50_GLOBAL__N__fa15d16e_17_RangeFactories_cu_38772b0829elementwise_kern"
    "el_with_indexIiZZZN2at6native15arange_cuda_outERKN3c106ScalarES6_S6_RNS1_"
    "6TensorEENKUlvE_clEvENKUlvE0_clEvEUllE_EEvT_T0_PN15function_traitsISD_E11"
    "result_typeE";
constexpr char kTensorFlowConcat[] =
    "_ZN10tensorflow12_GLOBAL__N_119concat_fixed_kernelIbiEEvNS_20GpuDeviceArr"
    "ayStructIPKT_Li8EEEiiiPS3_";
constexpr char kUpdateScale[] =
    "_ZN2at6native28amp_update_scale_cuda_kernelEPfPiPKfddi";
constexpr char kSort[] =
    "_ZN14at_cuda_detail3cub6detail10radix_sort31DeviceRadixSortSingleTileKern"
    "elINS1_5radix10policy_hubI13__nv_bfloat16N2at4cuda3cub6detail10OpaqueType"
    "ILi8EEEyE10Policy1000ELNS0_9SortOrderE0ES6_SC_yNS1_21identity_decomposer_"
    "tEEEvPKT1_PSH_PKT2_PSL_T3_iiT4_";

constexpr const char* kAllNames[] = {
    kAdd,      kOldAdd,    kOddFunctor, kCast,        kStridedAdd,
    kWhere,    kMean,      kIndex,      kGather,      kAdam,
    kAddLists, kConcat,    kDropout,    kSort,        kLayerNorm,
    kFlash,    kDepthwise, kArange,     kUpdateScale, kTensorFlowConcat};

// One parameter by its bytes; those that nobody has written hold leftovers.
class Parameter {
 public:
  explicit Parameter(size_t bytes = 64) : bytes_(bytes), written_(bytes) {}

  template <typename T>
  Parameter& Put(size_t offset, T value) {
    std::memcpy(&bytes_[offset], &value, sizeof(value));
    std::fill_n(written_.begin() + static_cast<ptrdiff_t>(offset),
                sizeof(value), true);
    return *this;
  }
  template <typename T>
  static Parameter Of(T value) {
    return Parameter().Put(0, value);
  }
  void FillTheRest(uint8_t leftover) {
    for (size_t i = 0; i < bytes_.size(); ++i) {
      if (!written_[i]) bytes_[i] = static_cast<std::byte>(leftover);
    }
  }
  void* data() { return bytes_.data(); }

 private:
  std::vector<std::byte> bytes_;
  std::vector<bool> written_;
};

struct Launch {
  std::string name;
  std::vector<Parameter> parameters;
  Dim3 grid{};
  Dim3 block{};
};

// Half a page of slack behind what a kernel reads: structs may be longer.
constexpr size_t kStructBytes = 40 << 10;

// Where operands lie, in device memory.
std::byte* Memory(size_t offset = 0) {
  static CUdeviceptr memory = 0;
  CUcontext context = nullptr;
  if (memory == 0) {
    EXPECT_EQ(CUDA_SUCCESS, cuInit(0));
    EXPECT_EQ(CUDA_SUCCESS, cuDevicePrimaryCtxRetain(&context, 0));
    EXPECT_EQ(CUDA_SUCCESS, cuCtxSetCurrent(context));
    EXPECT_EQ(CUDA_SUCCESS, cuMemAlloc(&memory, 1 << 20));
  }
  return reinterpret_cast<std::byte*>(memory) + offset;
}

Decoder DecoderFor(const std::string& mangled_name) {
  const std::string name = Demangle(mangled_name.c_str());
  return FindDecoder(TakeApart(name));
}

// Parameters that a name does not ask for are there, and empty.
DecodedLaunch Decode(const Launch& launch, uint8_t leftover = 0) {
  std::vector<Parameter> parameters = launch.parameters;
  parameters.resize(16, Parameter(kStructBytes));
  std::vector<void*> arguments;
  for (Parameter& parameter : parameters) {
    parameter.FillTheRest(leftover);
    arguments.push_back(parameter.data());
  }
  const Decoder decoder = DecoderFor(launch.name);
  EXPECT_TRUE(decoder) << launch.name;
  if (!decoder) return {};
  return decoder({arguments.data(), launch.grid, launch.block,
                  *opmodel::FindGpu("h100-sxm")});
}

// OffsetCalculator<operands>: of dimensions, the fastest first.
struct Dimension {
  uint32_t size;
  std::vector<uint32_t> strides;
};
void PutOffsets(Parameter& parameter, size_t at,
                const std::vector<Dimension>& dimensions) {
  parameter.Put(at, static_cast<int32_t>(dimensions.size()));
  for (size_t i = 0; i < dimensions.size(); ++i) {
    parameter.Put(at + 4 + 12 * i, dimensions[i].size);
    const auto& strides = dimensions[i].strides;
    for (size_t j = 0; j < strides.size(); ++j) {
      parameter.Put(at + 304 + 4 * (i * strides.size() + j), strides[j]);
    }
  }
}

Parameter Addresses(const std::vector<std::byte*>& addresses) {
  Parameter parameter;
  for (size_t i = 0; i < addresses.size(); ++i) {
    parameter.Put(8 * i, addresses[i]);
  }
  return parameter;
}

Launch Add(const char* name, int32_t elements, std::byte* output) {
  return {name,
          {Parameter::Of(elements), Parameter::Of(1.0F),
           Addresses({output, Memory(4096), Memory(8192)})}};
}

Launch Cast() {
  return {kCast,
          {Parameter::Of(100), Parameter(), Addresses({Memory(), Memory(512)}),
           Parameter(), Parameter(), Parameter::Of(ScalarType::kFloat64),
           Parameter::Of(ScalarType::kBfloat16)}};
}

// 8 x 100 elements; the second input is one row.
Launch StridedAdd(const std::vector<Dimension>& dimensions,
                  int32_t elements = 800) {
  Parameter lambda(kStructBytes);
  PutOffsets(lambda, 0, dimensions);
  const size_t data = AlignUp(OffsetsBytes(3), 8);
  lambda.Put(data, Memory()).Put(data + 8, Memory(8192));
  lambda.Put(data + 16, Memory(16384)).Put(data + 24, 1.0F);
  return {kStridedAdd, {Parameter::Of(elements), lambda}};
}

Launch Where() {
  Parameter lambda(kStructBytes);
  PutOffsets(lambda, 0, {{50, {4, 1, 4, 8}}});
  const size_t data = AlignUp(OffsetsBytes(4), 8);
  for (size_t i = 0; i < 4; ++i) lambda.Put(data + 8 * i, Memory(4096 * i));
  return {kWhere, {Parameter::Of(50), lambda}};
}

// 10 means of 64 each.
Launch Mean(uint32_t inputs = 64) {
  Parameter op(kStructBytes);
  op.Put(0, 1.0F / 64).Put(4, 0.0F);
  const int32_t config[16] = {4, 64, 10, 1, 0, 1, 0, 0, 0, 0, 0, 32, 4, 128};
  for (size_t i = 0; i < 16; ++i) op.Put(8 + 4 * i, config[i]);
  PutOffsets(op, 72, {{inputs, {4}}});
  const size_t outputs = 72 + OffsetsBytes(1);
  PutOffsets(op, outputs, {{10, {4, 256}}});
  const size_t rest = AlignUp(outputs + OffsetsBytes(2), 8);
  op.Put(rest, Memory(4096)).Put(rest + 8, Memory());
  op.Put(rest + 56, false).Put(rest + 57, true);
  return {kMean, {op}, {3, 1, 1}, {32, 4, 1}};
}

// y = x[index] of 20 elements of 8 bytes.
Launch Index(uint64_t indexed_dimensions = 1, int64_t size = 100) {
  Parameter lambda(kStructBytes);
  PutOffsets(lambda, 0, {{20, {8, 0, 8}}});
  const size_t rest = AlignUp(OffsetsBytes(3), 8);
  lambda.Put(rest, Memory()).Put(rest + 8, Memory(4096));
  lambda.Put(rest + 16, indexed_dimensions).Put(rest + 24, Memory(8192));
  lambda.Put(rest + 224, size).Put(rest + 424, int64_t{8});
  return {kIndex, {Parameter::Of(int64_t{20}), lambda}};
}

Launch Gather(int64_t output_stride = 64) {
  return {kGather,
          {Parameter::Of(Memory()), Parameter::Of(Memory(4096)),
           Parameter::Of(Memory(8192)), Parameter::Of(3),
           Parameter::Of(int64_t{64}), Parameter::Of(int64_t{10}),
           Parameter::Of(int64_t{128}), Parameter::Of(output_stride)}};
}

// One tensor of 70,000 elements in each of `lists` lists: two chunks.
Launch Lists(const char* name, size_t lists, size_t columns, size_t tensors,
             std::byte* first) {
  Parameter metadata(kStructBytes);
  for (size_t i = 0; i < lists; ++i) {
    metadata.Put(8 * tensors * i, first + 65536 * i);
  }
  metadata.Put(8 * tensors * lists, int64_t{70'000});
  const size_t blocks = 8 * tensors * (lists + columns);
  metadata.Put(blocks, uint16_t{0});  // two blocks, of one byte each
  metadata.Put(blocks + 320, int32_t{0}).Put(blocks + 324, int32_t{1});
  return {name,
          {metadata, Parameter(), Parameter(), Parameter::Of(1.0F)},
          {2, 1, 1}};
}

Launch Concat(uint32_t inputs = 2) {
  Parameter metadata(kStructBytes);
  metadata.Put(0, Memory(4096)).Put(8, Memory(8192));
  metadata.Put(128 * 16, uint32_t{30}).Put(128 * 16 + 4, uint32_t{12});
  return {kConcat, {Parameter::Of(Memory()), metadata}, {4, inputs, 1}};
}

Launch Dropout() {
  return {kDropout,
          {Parameter::Of(Memory()), Parameter::Of(Memory(4096)),
           Parameter::Of(Memory(8192)), Parameter::Of(uint32_t{1000})}};
}

struct Expected {
  const std::byte* data;
  int64_t elements;
  size_t element_bytes;
  size_t extent;
  Operand::Access access;
};

struct Row {
  const char* what;
  Launch launch;
  std::vector<Expected> operands;
  bool effect;
};

constexpr auto kRead = Operand::kRead;
constexpr auto kWrite = Operand::kWrite;
constexpr auto kReadWrite = Operand::kReadWrite;

std::vector<Row> Rows() {
  std::byte* const m = Memory();
  const std::vector<Expected> sum = {{m, 100, 4, 400, kWrite},
                                     {m + 4096, 100, 4, 400, kRead},
                                     {m + 8192, 100, 4, 400, kRead}};
  return {
      {"dense", Add(kAdd, 100, m), sum, true},
      {"dense, of an older release", Add(kOldAdd, 100, m), sum, true},
      {"a functor that nobody knows",
       Add(kOddFunctor, 100, m),
       {{m, 100, 8, 800, kWrite}, {m + 4096, 100, 8, 800, kRead}},
       true},
      {"types of a cast are in memory",
       Cast(),
       {{m, 100, 2, 200, kWrite}, {m + 512, 100, 8, 800, kRead}},
       true},
      {"strides; a broadcast row counts once",
       StridedAdd({{8, {4, 4, 4}}, {100, {64, 32, 0}}}),
       {{m, 800, 4, 99 * 64 + 32, kWrite},
        {m + 8192, 800, 4, 99 * 32 + 32, kRead},
        {m + 16384, 8, 4, 32, kRead}},
       true},
      {"types of a lambda's parameters",
       Where(),
       {{m, 50, 4, 200, kWrite},
        {m + 4096, 50, 1, 50, kRead},
        {m + 8192, 50, 4, 200, kRead},
        {m + 12288, 50, 4, 396, kRead}},
       true},
      {"reduction",
       Mean(),
       {{m, 10, 4, 40, kWrite}, {m + 4096, 640, 4, 9 * 256 + 256, kRead}},
       true},
      {"index",
       Index(),
       {{m, 20, 8, 160, kWrite}, {m + 4096, 20, 8, 800, kRead}},
       true},
      {"gather",
       Gather(),
       {{m, 3, 64, 192, kWrite}, {m + 4096, 3, 64, 9 * 128 + 64, kRead}},
       true},
      {"lists, one for the result",
       Lists(kAddLists, 3, 1, 48, m),
       {{m, 70'000, 4, 280'000, kRead},
        {m + 65536, 70'000, 4, 280'000, kRead},
        {m + 131072, 70'000, 4, 280'000, kWrite}},
       true},
      {"fused optimizer: all but gradients are written",
       Lists(kAdam, 4, 2, 36, m),
       {{m, 70'000, 4, 280'000, kReadWrite},
        {m + 65536, 70'000, 4, 280'000, kRead},
        {m + 131072, 70'000, 4, 280'000, kReadWrite},
        {m + 196608, 70'000, 4, 280'000, kReadWrite}},
       false},
      {"concatenation",
       Concat(),
       {{m, 42, 4, 168, kWrite}, {m + 4096, 42, 4, 120, kRead}},
       false},
      {"dropout",
       Dropout(),
       {{m + 4096, 1000, 4, 4000, kWrite},
        {m + 8192, 1000, 1, 1000, kWrite},
        {m, 1000, 4, 4000, kRead}},
       false},
  };
}

void ExpectOperands(const std::vector<Expected>& expected,
                    const DecodedLaunch& decoded) {
  ASSERT_EQ(expected.size(), decoded.operands().size());
  for (size_t i = 0; i < expected.size(); ++i) {
    const Operand& operand = decoded.operands()[i];
    EXPECT_EQ(expected[i].data, operand.range.data) << i;
    EXPECT_EQ(expected[i].elements, operand.elements) << i;
    EXPECT_EQ(expected[i].element_bytes, operand.element_bytes) << i;
    EXPECT_EQ(expected[i].extent, operand.range.bytes) << i;
    EXPECT_EQ(expected[i].access, operand.access) << i;
  }
}

// Whatever lies in the bytes that the program did not write.
TEST(DecoderTest, OperandsFollowFromNameGeometryAndParameters) {
  for (const uint8_t leftover : {0x00, 0x18, 0xa5, 0xff}) {
    for (const Row& row : Rows()) {
      SCOPED_TRACE(row.what);
      SCOPED_TRACE(leftover);
      const DecodedLaunch decoded = Decode(row.launch, leftover);
      ExpectOperands(row.operands, decoded);
      EXPECT_EQ(row.effect, decoded.effect != nullptr);
    }
  }
}

TEST(DecoderTest, OperationsAreThoseOfOpmodel) {
  const DecodedLaunch norm =
      Decode({kLayerNorm, {Parameter::Of(4096)}, {128, 1, 1}});
  ASSERT_TRUE(norm.operation);
  EXPECT_EQ(opmodel::OpKind::kNormForward, norm.operation->kind);
  EXPECT_EQ(128, (*norm.operation)[opmodel::Dim::kRows]);
  EXPECT_EQ(128 * 4096, (*norm.operation)[opmodel::Dim::kElementsIn]);
  Parameter flash(kStructBytes);
  flash.Put(96, 16).Put(100, 8).Put(104, 2);
  flash.Put(176, 2).Put(180, 1024).Put(184, 512).Put(192, 64);
  const DecodedLaunch attention = Decode({kFlash, {flash}, {8, 2, 16}});
  ASSERT_TRUE(attention.operation);
  EXPECT_EQ(opmodel::DType::kBf16, attention.operation->storage);
  EXPECT_EQ(8, (*attention.operation)[opmodel::Dim::kKvHeads]);
  EXPECT_EQ(512, (*attention.operation)[opmodel::Dim::kSeqKv]);
  EXPECT_EQ(1, (*attention.operation)[opmodel::Dim::kCausal]);
}

// `tensors` parameters that are not read, then integers.
Launch WithIntegers(const std::string& name, size_t tensors,
                    const std::vector<int64_t>& values) {
  std::vector<Parameter> parameters(tensors);
  for (const int64_t value : values) parameters.push_back(Parameter::Of(value));
  return {name, parameters, {1024, 1, 1}};
}

// 256 images of 96 channels, 56 x 28 points, filters of 3 x 3.
Launch Depthwise(int64_t images) {
  return WithIntegers(kDepthwise, 5,
                      {images * 96 * 56 * 28, 96, 1, 56, 28, 56, 28, 3, 3});
}

TEST(DecoderTest, DepthwiseConvolutionsTellTheirShape) {
  const DecodedLaunch decoded = Decode(Depthwise(256));
  ASSERT_TRUE(decoded.operation);
  const opmodel::Operation& op = *decoded.operation;
  EXPECT_EQ(opmodel::OpKind::kConvForward, op.kind);
  EXPECT_EQ(opmodel::DType::kF16, op.storage);
  EXPECT_EQ(256, op[opmodel::Dim::kBatch]);
  EXPECT_EQ(96, op[opmodel::Dim::kGroups]);
  EXPECT_EQ(28, op[opmodel::Dim::kHeightOut]);
  EXPECT_EQ(3, op[opmodel::Dim::kFilterWidth]);
  EXPECT_FALSE(Decode(Depthwise(0)).operation);
}

// Two filters for each of 32 channels: the multiplier comes before the output's
// channels.
TEST(DecoderTest, DepthwiseGradientsByTheDataTellTheirShape) {
  const DecodedLaunch decoded = Decode(WithIntegers(
      "_ZN2at6native32conv_depthwise2d_backward_kernelIN3c104HalfEiEEviii", 3,
      {int64_t{4} * 32 * 56 * 28, 32, 2, 64, 56, 28, 56, 28, 3, 3}));
  ASSERT_TRUE(decoded.operation);
  const opmodel::Operation& op = *decoded.operation;
  EXPECT_EQ(opmodel::OpKind::kConvBackwardData, op.kind);
  EXPECT_EQ(4, op[opmodel::Dim::kBatch]);
  EXPECT_EQ(32, op[opmodel::Dim::kChannelsIn]);
  EXPECT_EQ(64, op[opmodel::Dim::kChannelsOut]);
}

// The same sum of two rows-by-columns tensors, of which one lies column by
// column.
TEST(DecoderTest, StridesThatLeaveSectorsBehindTakeLonger) {
  const opmodel::GpuSpec& gpu = *opmodel::FindGpu("rtx-3090");
  constexpr int32_t kAll = 4096 * 4096;
  const DecodedLaunch rows = Decode(
      StridedAdd({{4096, {4, 4, 4}}, {4096, {16384, 16384, 0}}}, kAll));
  const DecodedLaunch columns = Decode(
      StridedAdd({{4096, {4, 16384, 4}}, {4096, {16384, 4, 0}}}, kAll));
  EXPECT_EQ(CostOf(rows, gpu).bytes, CostOf(columns, gpu).bytes);
  EXPECT_EQ(0, CostOf(rows, gpu).duration_ns);
  EXPECT_GT(CostOf(columns, gpu).duration_ns,
            1.2 * opmodel::StreamingTime(CostOf(rows, gpu).bytes, gpu).ns);
}

TEST(DecoderTest, ImpossibleShapesAreNotComputed) {
  std::byte* const m = Memory();
  const Dimension row{8, {4, 4, 4}};
  const std::pair<const char*, Launch> rows[] = {
      {"no elements", Add(kAdd, 0, m)},
      {"fewer than none", Add(kAdd, -5, m)},
      {"fewer than none, unknown functor", Add(kOddFunctor, -5, m)},
      {"no output", Add(kAdd, 100, nullptr)},
      {"other elements than offsets", StridedAdd({row})},
      {"a dimension of none", StridedAdd({row, {0, {4, 4, 4}}})},
      {"26 dimensions", StridedAdd(std::vector<Dimension>(26, {1, {4, 4, 4}}))},
      {"more elements than numbers",
       StridedAdd({{1u << 31, {4, 4, 4}}, {1u << 31, {4, 4, 4}}})},
      {"other inputs than offsets", Mean(63)},
      {"nothing indexed", Index(0)},
      {"26 indexed dimensions", Index(26)},
      {"an indexed dimension of none", Index(1, -1)},
      {"rows over each other", Gather(63)},
      {"lists of nothing", {kAddLists, {}, {2, 1, 1}}},
      {"lists to nowhere",
       Lists(kAddLists, 3, 1, 48, reinterpret_cast<std::byte*>(16))},
      {"no arguments at all", {kTensorFlowConcat, {}}},
      {"more inputs than a batch holds", Concat(129)},
  };
  for (const auto& [what, launch] : rows) {
    const DecodedLaunch decoded = Decode(launch);
    EXPECT_FALSE(decoded.effect) << what;
    EXPECT_GE(CostOf(decoded, *opmodel::FindGpu("h100-sxm")).bytes, 0) << what;
  }
}

TEST(DecoderTest, EffectsOutsideOfAllocationsTouchNothing) {
  for (std::byte* const nowhere :
       {reinterpret_cast<std::byte*>(16), Memory((1 << 20) - 4),
        reinterpret_cast<std::byte*>(~uint64_t{0} - 15)}) {
    for (const char* name : {kAdd, kOddFunctor}) {
      const DecodedLaunch decoded = Decode(Add(name, 100, nowhere));
      ASSERT_TRUE(decoded.effect);
      decoded.effect();
    }
  }
}

// Of a name and of what it is demangled to. Some are names of other kernels.
TEST(DecoderTest, TruncatedNamesAreSurvived) {
  std::vector<std::byte> zeroes(kStructBytes);
  const std::vector<void*> arguments(16, zeroes.data());
  const auto survives = [&](const std::string& name) {
    const Decoder decoder = FindDecoder(TakeApart(name));
    if (!decoder) return;
    decoder({arguments.data(), {}, {}, *opmodel::FindGpu("h100-sxm")});
  };
  for (const std::string name : kAllNames) {
    const std::string text = Demangle(name.c_str());
    ASSERT_NE("", text) << name;
    for (size_t length = 0; length < name.size(); ++length) {
      survives(Demangle(name.substr(0, length).c_str()));
    }
    for (size_t length = 0; length <= text.size(); ++length) {
      survives(text.substr(0, length));
    }
  }
}

TEST(DecoderTest, OtherKernelsAreNotDecoded) {
  for (const char* name :
       {"", "ampere_sgemm_128x64_nn", "_Z4lossPf", "triton_poi_fused_add_0",
        "_ZN3cub6detail12DeviceKernelIiEEvPf",
        "_ZN2at6native11reduce_kernelIiEEvT_"}) {
    EXPECT_FALSE(DecoderFor(name)) << name;
  }
}

}  // namespace
}  // namespace dltap::simgpu

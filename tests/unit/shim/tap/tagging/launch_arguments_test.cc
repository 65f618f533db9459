// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/tagging/launch_arguments.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shim/tap/tagging/kernel_launch.h"
#include "shim/tap/tagging/object_hooks.h"
#include "tests/unit/shim/tap/tagging/fake_tagging_runtime.h"

namespace dltap::shim::tagging {
namespace {

using opmodel::Dim;
using opmodel::DType;
using opmodel::Operation;
using opmodel::OpKind;

// As nvcc mangles them; the traits have flags of their own.
std::string Flash(const std::string& kernel, const std::string& type,
                  const std::string& flags,
                  const std::string& space = "13pytorch_flash") {
  std::string text = "_ZN" + space + kernel +
                     "I23Flash_fwd_kernel_traitsILi64ELi128ELi128ELi4ELb0ELb0E";
  text += "N7cutlass" + type + "E19Flash_kernel_traitsILi64EEE";
  for (const char flag : flags) text += std::string("Lb") + flag + "E";
  const std::string pass =
      kernel.find("bwd") == std::string::npos ? "fwd" : "bwd";
  return text + "EEvNS_16Flash_" + pass + "_paramsE";
}
const std::string kBf16 = "10bfloat16_t";
const std::string kForward = "16flash_fwd_kernel";
const std::string kSplit = "24flash_fwd_splitkv_kernel";
const std::string kBackward = "44flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel";
const std::string kMemEfficient =
    "_Z39fmha_cutlassF_f32_aligned_64x64_rf_sm80N22PyTorchMemEffAttention"
    "15AttentionKernelIfN7cutlass4arch4Sm80ELb1ELi64ELi64ELi64ELb1ELb1EE6"
    "ParamsE";
const std::string kMemEfficientBackward =
    "_Z41fmha_cutlassB_bf16_aligned_64x64_k64_sm80N22PyTorchMemEffAttention"
    "23AttentionBackwardKernelIfEE6ParamsE";

class LaunchArgumentsTest : public testing::Test {
 protected:
  void Put(size_t offset, int32_t value) {
    memcpy(parameters_ + offset, &value, sizeof(value));
  }
  void PutFlash(int batch, int heads, int kv_heads, int queries, int keys) {
    Put(96, heads);
    Put(100, kv_heads);
    Put(176, batch);
    Put(180, queries);
    Put(184, keys);
    Put(192, 64);
  }
  void PutMemEfficient() {
    Put(96, 32);
    Put(100, 48);
    Put(104, 300);
    Put(108, 300);
    Put(192, 4);
    Put(196, 8);
  }
  std::optional<Operation> Read(const std::string& name, abi::dim3 grid) {
    kernels_.Named(&stub_, name.c_str());
    return ReadAgain(grid);
  }
  std::optional<Operation> ReadAgain(abi::dim3 grid) {
    const void* arguments[] = {parameters_};
    return ReadLaunch(grid, arguments);
  }
  std::optional<Operation> ReadLaunch(abi::dim3 grid,
                                      const void* const* arguments) {
    Operation op;
    if (!kernels_.Read(&stub_, grid, arguments, &op)) return std::nullopt;
    return op;
  }

  static LaunchArguments kernels_;  // as large as its table
  char stub_ = 0;
  alignas(8) uint8_t parameters_[512] = {};
};
LaunchArguments LaunchArgumentsTest::kernels_;

TEST_F(LaunchArgumentsTest, LengthsAreThoseOfTheParameters) {
  PutFlash(4, 8, 2, 300, 300);
  const auto op = Read(Flash(kForward, kBf16, "01001100"), {3, 4, 8});
  ASSERT_TRUE(op);
  EXPECT_EQ(op->kind, OpKind::kAttentionForward);
  EXPECT_EQ(op->math, DType::kBf16);
  EXPECT_EQ((*op)[Dim::kBatch], 4);
  EXPECT_EQ((*op)[Dim::kHeads], 8);
  EXPECT_EQ((*op)[Dim::kKvHeads], 2);
  EXPECT_EQ((*op)[Dim::kSeqQ], 300);
  EXPECT_EQ((*op)[Dim::kSeqKv], 300);
  EXPECT_EQ((*op)[Dim::kHeadDim], 64);
  EXPECT_EQ((*op)[Dim::kCausal], 1);
}

TEST_F(LaunchArgumentsTest, AllFormsOfFlashAttentionAreKnown) {
  PutFlash(4, 8, 8, 300, 300);
  const auto backward = Read(Flash(kBackward, "6half_t", "0000110"), {3, 4, 8});
  ASSERT_TRUE(backward);
  EXPECT_EQ(backward->kind, OpKind::kAttentionBackward);
  EXPECT_EQ(backward->math, DType::kF16);
  EXPECT_EQ((*backward)[Dim::kCausal], 0);
  const auto split = Read(Flash(kSplit, kBf16, "10001010"), {3, 5, 32});
  ASSERT_TRUE(split) << "its blocks are of heads of all sequences";
  EXPECT_EQ((*split)[Dim::kCausal], 1);
  EXPECT_TRUE(Read(Flash(kForward, kBf16, "0000110", "5flash"), {3, 4, 8}));
}

TEST_F(LaunchArgumentsTest, MemoryEfficientAttentionHasItsMaskInItsParameters) {
  PutMemEfficient();
  parameters_[116] = 1;
  const auto op = Read(kMemEfficient, {5, 8, 4});
  ASSERT_TRUE(op);
  EXPECT_EQ(op->math, DType::kF32);
  EXPECT_EQ((*op)[Dim::kCausal], 1);
  EXPECT_EQ((*op)[Dim::kKvHeads], 8);
  EXPECT_EQ((*op)[Dim::kHeadDim], 32);
  EXPECT_EQ((*op)[Dim::kHeadDimV], 48);
}

TEST_F(LaunchArgumentsTest, ItsBackwardPassHasThemElsewhere) {
  Put(144, 32);
  Put(148, 32);
  Put(152, 300);
  Put(156, 200);
  Put(160, 8);
  Put(376, 4);
  const auto op = Read(kMemEfficientBackward, {1, 8, 4});
  ASSERT_TRUE(op);
  EXPECT_EQ(op->kind, OpKind::kAttentionBackward);
  EXPECT_EQ((*op)[Dim::kSeqQ], 300);
  EXPECT_EQ((*op)[Dim::kSeqKv], 200);
}

TEST_F(LaunchArgumentsTest, WhatTheGridContradictsIsAnotherLayout) {
  PutFlash(4, 8, 8, 300, 300);
  const std::string name = Flash(kForward, kBf16, "00001100");
  EXPECT_TRUE(Read(name, {3, 4, 8}));
  EXPECT_FALSE(Read(name, {3, 4, 16}));
  EXPECT_FALSE(Read(name, {3, 5, 8}));
  PutFlash(4, 8, 3, 300, 300);
  EXPECT_FALSE(Read(name, {3, 4, 8})) << "heads that share keys unevenly";
  PutFlash(4, 8, 8, -300, 300);
  EXPECT_FALSE(Read(name, {3, 4, 8}));
  PutFlash(0, 8, 8, 300, 300);
  EXPECT_FALSE(Read(name, {3, 0, 8}));
}

TEST_F(LaunchArgumentsTest, WhatLengthsOrAWindowDecideIsNotTold) {
  PutFlash(4, 8, 8, 300, 300);
  EXPECT_FALSE(Read(Flash(kForward, kBf16, "00101100"), {3, 4, 8})) << "local";
  for (const size_t lengths : {224, 232, 240, 248}) {
    Put(lengths, 16);
    EXPECT_FALSE(Read(Flash(kForward, kBf16, "00001100"), {3, 4, 8}));
    Put(lengths, 0);
  }
  PutFlash(4, 8, 8, 100, 300);
  EXPECT_FALSE(Read(Flash(kForward, kBf16, "01001100"), {3, 4, 8}))
      << "a causal mask of more keys than queries";
  EXPECT_TRUE(Read(Flash(kForward, kBf16, "00001100"), {3, 4, 8}));
  PutMemEfficient();
  Put(88, 128);
  EXPECT_FALSE(Read(kMemEfficient, {5, 8, 4})) << "a window";
}

TEST_F(LaunchArgumentsTest, OtherKernelsAreNotRead) {
  PutFlash(4, 8, 8, 300, 300);
  for (const std::string& name :
       {Flash("27flash_bwd_convert_dq_kernel", kBf16, "0000110"),
        Flash("25flash_bwd_dot_do_o_kernel", kBf16, "0000110"),
        Flash(kForward, kBf16, "00001100", "5other"),
        Flash(kForward, kBf16, "0000"), Flash(kForward, kBf16, "0000000000"),
        std::string("_ZN13pytorch_flash"), std::string("_ZN99999999999flash"),
        std::string("_Z"), std::string("_ZN"), std::string(),
        std::string("_Z39fmha_cutlassF_f64_aligned"),
        std::string("_Z39fmha_cutlassX_f32_aligned"),
        std::string("ampere_sgemm_128x64_nn")}) {
    EXPECT_FALSE(Read(name, {3, 4, 8})) << name;
  }
}

// 4 images of 32 channels of 40 x 56, by two filters of 5 x 3 each.
class DepthwiseTest : public LaunchArgumentsTest {
 protected:
  static std::string Name(const std::string& kernel, const std::string& types,
                          size_t ints) {
    return "_ZN2at6native51_GLOBAL__N__a30dace1_18_DepthwiseConv2d_cu_995948"
           "70" +
           kernel + "I" + types + "EvN5torch8AccessorIfLm4EiEEbT1_" +
           std::string(ints, 'i');
  }
  std::optional<Operation> Read(const std::string& name,
                                std::vector<int64_t> numbers) {
    kernels_.Named(&stub_, name.c_str());
    numbers.resize(20, 1);
    std::vector<const void*> arguments;
    for (const int64_t& number : numbers) arguments.push_back(&number);
    return ReadLaunch({1, 1, 1}, arguments.data());
  }
  static void ExpectShape(const std::optional<Operation>& op, OpKind kind) {
    ASSERT_TRUE(op);
    EXPECT_EQ(op->kind, kind);
    const std::pair<Dim, int64_t> dims[] = {
        {Dim::kBatch, 4},        {Dim::kChannelsIn, 32},
        {Dim::kGroups, 32},      {Dim::kChannelsOut, 64},
        {Dim::kHeightIn, 40},    {Dim::kWidthIn, 56},
        {Dim::kHeightOut, 20},   {Dim::kWidthOut, 28},
        {Dim::kFilterHeight, 5}, {Dim::kFilterWidth, 3}};
    for (const auto& [dim, value] : dims) EXPECT_EQ((*op)[dim], value);
  }

  static constexpr int64_t kOut = 4 * 64 * 20 * 28;
  static constexpr int64_t kIn = 4 * 32 * 40 * 56;
};
const std::string kDepthwise = "31conv_depthwise2d_forward_kernel";

TEST_F(DepthwiseTest, ConvolutionsOfEachChannelAreRead) {
  const auto forward = Read(Name(kDepthwise, "Li3EfiE", 14),
                            {0, 0, 0, 0, 1, kOut, 64, 2, 56, 40, 28, 20, 3, 5});
  ExpectShape(forward, OpKind::kConvForward);
  EXPECT_EQ(forward->math, DType::kF32);
  const auto generic = Read(Name("39conv_depthwise2d_forward_kernel_generic",
                                 "N3c108BFloat16ElE", 14),
                            {0, 0, 0, 0, 1, kOut, 64, 2, 56, 40, 28, 20, 3, 5});
  ExpectShape(generic, OpKind::kConvForward);
  EXPECT_EQ(generic->storage, DType::kBf16);
  ExpectShape(Read(Name("32conv_depthwise2d_backward_kernel",
                        "Li0ELi1EN3c104HalfEiE", 15),
                   {0, 0, 0, kIn, 32, 2, 64, 56, 40, 28, 20, 3, 5}),
              OpKind::kConvBackwardData);
  ExpectShape(Read(Name("35conv_depthwise2d_grad_weight_kernel", "fjE", 16),
                   {0, 0, 0, 4, 32, 64, 2, 56, 40, 28, 20, 3, 5}),
              OpKind::kConvBackwardWeight);
}

TEST_F(DepthwiseTest, OtherSignaturesAndNumbersThatDisagreeTellNothing) {
  const std::vector<int64_t> numbers = {0, 0,  0,  0,  1,  kOut, 64,
                                        2, 56, 40, 28, 20, 3,    5};
  EXPECT_FALSE(Read(Name(kDepthwise, "Li3EfiE", 15), numbers));
  EXPECT_FALSE(Read(Name(kDepthwise, "Li3EhiE", 14), numbers)) << "bytes";
  EXPECT_FALSE(Read(Name(kDepthwise, "Li3EfxE", 14), numbers)) << "an index";
  for (const size_t at : {5, 6, 7, 8, 11, 13}) {
    std::vector<int64_t> other = numbers;
    other[at] = at == 5 ? kOut + 1 : 0;
    EXPECT_FALSE(Read(Name(kDepthwise, "Li3EfiE", 14), other)) << at;
  }
  std::vector<int64_t> uneven = numbers;
  uneven[7] = 3;
  EXPECT_FALSE(Read(Name(kDepthwise, "Li3EfiE", 14), uneven));
}

std::string Replaced(std::string text, const std::string& old,
                     const std::string& by) {
  const size_t at = text.rfind(old);
  EXPECT_NE(at, std::string::npos) << text;
  return text.replace(at, old.size(), by);
}

// Anybody may name a kernel so: of another structure nothing is read, as that
// may be smaller.
TEST_F(LaunchArgumentsTest, KernelsThatGetSomethingElseAreNotRead) {
  PutFlash(4, 8, 8, 300, 300);
  const std::string flash = Flash(kForward, kBf16, "00001100");
  const std::string parameters = "vNS_16Flash_fwd_paramsE";
  EXPECT_TRUE(Read(flash, {3, 4, 8}));
  EXPECT_TRUE(
      Read(Replaced(flash, parameters, "v16Flash_fwd_params"), {3, 4, 8}));
  for (const char* other :
       {"vNS_3BoxE", "viNS_16Flash_fwd_paramsE", "vNS_16Flash_bwd_paramsE",
        "vPNS_16Flash_fwd_paramsE", "vNS_16Flash_fwd_paramsEi", ""}) {
    EXPECT_FALSE(Read(Replaced(flash, parameters, other), {3, 4, 8})) << other;
  }
  PutMemEfficient();
  EXPECT_TRUE(Read(kMemEfficient, {5, 8, 4}));
  EXPECT_TRUE(
      Read(Replaced(kMemEfficient, "22PyTorchMemEffAttention", ""), {5, 8, 4}));
  for (const char* other :
       {"E3Box", "E6ParamsEi", "E6Params", "EE", "EP6ParamsE"}) {
    EXPECT_FALSE(Read(Replaced(kMemEfficient, "E6ParamsE", other), {5, 8, 4}))
        << other;
  }
  for (const char* other : {"i", "15AttentionKernelI", "3BoxN", "NS_"}) {
    EXPECT_FALSE(Read(Replaced(kMemEfficient, "N22PyTorch", other), {5, 8, 4}))
        << other;
  }
}

TEST_F(LaunchArgumentsTest, AHandleOfAKernelIsReadLikeIt) {
  PutFlash(4, 8, 8, 300, 300);
  char handle = 0;
  kernels_.Named(&handle, Flash(kForward, kBf16, "00001100").c_str());
  EXPECT_FALSE(Read("other", {3, 4, 8}));
  kernels_.Alias(&stub_, &handle);
  EXPECT_TRUE(ReadAgain({3, 4, 8}));
  kernels_.Alias(&stub_, &parameters_);
  EXPECT_FALSE(ReadAgain({3, 4, 8})) << "the address was given out again";
  kernels_.Alias(&stub_, &handle);
  kernels_.Forget(&stub_);
  EXPECT_FALSE(ReadAgain({3, 4, 8})) << "its library is gone";
}

TEST_F(LaunchArgumentsTest, ALaunchIsNotedBeforeItsRecord) {
  FakeTaggingRuntime runtime;
  PutFlash(4, 8, 8, 300, 300);
  const void* arguments[] = {parameters_};
  hooks::RegisterFunction::After(nullptr, &stub_,
                                 Flash(kForward, kBf16, "00001100").c_str());
  hooks::KernelLaunch::After(0, &stub_, {3, 4, 8}, arguments);
  ASSERT_EQ(runtime.launches.size(), 1u);
  const auto& [kernel, operation] = runtime.launches[0];
  EXPECT_EQ(kernel, reinterpret_cast<uint64_t>(&stub_));
  ASSERT_EQ(runtime.operations.count(operation), 1u);
  EXPECT_EQ(runtime.operations[operation][0][Dim::kSeqQ], 300);
  hooks::KernelLaunch::After(1, &stub_, {3, 4, 8}, arguments);  // it failed
  hooks::KernelLaunch::After(0, &stub_, {3, 4, 8}, nullptr);
  EXPECT_EQ(runtime.launches.size(), 1u);
  g_launch_arguments.Forget(&stub_);
}

}  // namespace
}  // namespace dltap::shim::tagging

// SPDX-License-Identifier: Apache-2.0
// Weights that no library call reads where they lie: sizes of what kernels make
// of them tell.
#include "analyzer/metrics/operands/made_sizes.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "analyzer/metrics/figures/figures.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

constexpr int64_t kKib = 1024;
constexpr char kCast[] =
    "at::native::vectorized_elementwise_kernel<8, "
    "at::native::bfloat16_copy_kernel_cuda(at::TensorIteratorBase&)"
    "::{lambda(float)#1}, std::array<char*, 2ul> >(int)";
constexpr char kFill[] =
    "at::native::vectorized_elementwise_kernel<4, "
    "at::native::FillFunctor<float>, std::array<char*, 1ul> >(int)";
constexpr char kAddRows[] = "at::native::embedding_backward_feature_kernel";
constexpr char kProduct[] = "ampere_bf16_s16816gemm_bf16";
constexpr int kWeightKib = 512;  // 256 x 512 floats
constexpr int kTableKib = 256;   // 4096 x 16 floats

std::string Work(int at_us, int thread, const std::string& call,
                 const std::string& activity) {
  return absl::StrCat("call t=", at_us, "..", at_us + 2, "us thread=", thread,
                      " ", call, "\nlaunchapi t=", at_us, "..", at_us + 1,
                      "us thread=", thread, " corr=", at_us, " ext=", at_us,
                      "us\n", activity, " t=", at_us + 3, "..", at_us + 6,
                      "us device=0 stream=7 corr=", at_us, " ");
}

std::string Launch(int at_us, int thread, const std::string& kernel,
                   int blocks) {
  return Work(at_us, thread, "cudaLaunchKernel", "kernel") +
         absl::StrCat("name=\"", kernel, "\" grid=", blocks,
                      ",1,1 block=128,1,1\n");
}

std::string Product(int at_us, int thread, const std::string& operands) {
  return Work(at_us, thread,
              "cublasGemmEx " + operands + " Atype=14 Btype=14 Ctype=14",
              "kernel") +
         absl::StrCat("name=", kProduct, "\n");
}

std::string CopyFromHost(int at_us, const std::string& to, int kib) {
  return Work(at_us, 0,
              absl::StrCat("cudaMemcpyAsync dst=", to, " count=", kib * kKib,
                           " kind=1"),
              "memcpy") +
         absl::StrCat("kind=htod bytes=", kib * kKib, "\n");
}

// y = W x in 16 bits, dx = W dy; then rows are added to a table's gradient.
std::string PassFrom(int at_us, bool casts, const std::string& weight) {
  return (casts ? Launch(at_us, 0, kCast, 128) : "") +
         Product(
             at_us + 5, 0,
             "A=0x" + weight + " B=0x10280000 C=0x102a0000 m=256 n=64 k=512") +
         Product(
             at_us + 10, 1,
             "A=0x" + weight + " B=0x102b0000 C=0x102c0000 m=512 n=64 k=256");
}

std::string StepFrom(int at_us, bool casts, const std::string& weight,
                     const std::string& next_part) {
  return PassFrom(at_us, casts, weight) +
         (next_part.empty() ? "" : PassFrom(at_us + 15, casts, next_part)) +
         Launch(at_us + 30, 1, kFill, 64) + Launch(at_us + 40, 1, kAddRows, 8) +
         Launch(at_us + 50, 0, "multi_tensor_apply_kernel", 4);
}

// Bytes of weights at the peak, which lies in the fourth of six steps. Odd ones
// have the weight of products at `odd`; a second part of the batch, if any, has
// it at `next_part`.
int64_t WeightsOf(const std::string& copies, bool casts,
                  const std::string& odd = "10200000",
                  const std::string& next_part = "") {
  std::string text = absl::StrCat(
      "process framework=\"torch 2.11.0\"\ndevice 0 name=X memory=5242880\n"
      "thread 0 tid=1 name=python\nthread 1 tid=2 name=pt_autograd_0\n"
      "call t=0..1us thread=0 cudaMalloc devPtr=0x10000000 size=4194304\n",
      copies);
  for (int step = 0; step < 6; ++step) {
    absl::StrAppend(&text,
                    StepFrom(100 + 100 * step, casts,
                             step % 2 == 0 ? "10200000" : odd, next_part),

                    "range t=", 100 + 100 * step, "..", 199 + 100 * step,
                    "us thread=0 kind=nvtx name=\"step ", step, "\"\n");
  }
  text +=
      "call t=430500..431000ns thread=0 cudaMalloc devPtr=0x20000000 "
      "size=1048576\n";
  const TraceModel model = TraceFromText(text);
  const Summary summary = Summarise(model, Attribute(model));
  const auto& owners = summary.memory.devices.at(0).owners;
  return owners->bytes[static_cast<size_t>(MemoryOwner::kWeights)] / kKib;
}

const std::string kWeight = CopyFromHost(10, "0x10000000", kWeightKib);
const std::string kTable = CopyFromHost(20, "0x10100000", kTableKib);

TEST(MadeSizesTest, WeightsAreWhatCastsAreMadeOfAndTablesHaveTheirGradient) {
  EXPECT_EQ(WeightsOf(kWeight + kTable, true), kWeightKib + kTableKib);
}

TEST(MadeSizesTest, OfWeightsThatTheHostDidNotCopyTheSizeIsKnown) {
  EXPECT_EQ(WeightsOf("", true), kWeightKib);
}

TEST(MadeSizesTest, WhatNoKernelCastsIsTheWeightItself) {
  EXPECT_EQ(WeightsOf(kWeight, false), kWeightKib / 2);
}

TEST(MadeSizesTest, CastsThatTakeTurnsInTwoBuffersAreOfOneWeight) {
  EXPECT_EQ(WeightsOf("", true, "10300000"), kWeightKib);
}

TEST(MadeSizesTest, EachPartOfABatchCastsTheSameWeights) {
  EXPECT_EQ(WeightsOf("", true, "10200000", "10300000"), kWeightKib);
}

TEST(MadeSizesTest, CopiesOfOtherSizesAreNoTables) {
  EXPECT_EQ(WeightsOf(CopyFromHost(20, "0x10100000", kTableKib + 8), true),
            kWeightKib);
}

}  // namespace
}  // namespace dltap::analyzer

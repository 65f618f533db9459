// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "opmodel/device_time.h"
#include "opmodel/gpu_table.h"
#include "tests/unit/opmodel/operations.h"

// What holds of convolutions whatever the constants are: over a grid of shapes,
// types and GPUs.

namespace dltap::opmodel {
namespace {

struct Types {
  const char* name;
  DType storage, math;
};
constexpr Types kTypes[] = {{"fp32", DType::kF32, DType::kF32},
                            {"tf32", DType::kF32, DType::kTf32},
                            {"fp16", DType::kF16, DType::kF16},
                            {"bf16", DType::kBf16, DType::kBf16}};
constexpr OpKind kDirections[] = {OpKind::kConvForward,
                                  OpKind::kConvBackwardData,
                                  OpKind::kConvBackwardWeight};
const char* NameOf(OpKind kind) {
  if (kind == OpKind::kConvForward) return "forward";
  return kind == OpKind::kConvBackwardData ? "backward data"
                                           : "backward weight";
}

// A library that may use TF32 runs FP32's engines where they are faster.
double Ns(OpKind kind, const SquareConv& conv, const Types& types,
          const GpuSpec& gpu) {
  Operation op = MakeConv(kind, conv);
  op.storage = types.storage;
  op.math = types.math;
  double ns = TimeOf(op, gpu)->ns;
  if (types.math == DType::kTf32) {
    op.math = DType::kF32;
    ns = std::min(ns, TimeOf(op, gpu)->ns);
  }
  return ns;
}

std::vector<const GpuSpec*> NvidiaGpus() {
  std::vector<const GpuSpec*> gpus;
  for (const GpuSpec& gpu : AllGpus()) {
    if (gpu.vendor == Vendor::kNvidia) gpus.push_back(&gpu);
  }
  return gpus;
}

using Visit = std::function<void(OpKind, const SquareConv&, const Types&,
                                 const std::string& name)>;

// Padded so that a unit stride keeps the size.
void ForEachConv(const Visit& visit) {
  for (const OpKind kind : kDirections) {
    for (const Types& types : kTypes) {
      for (const int64_t filter : {1, 3, 7}) {
        for (const int64_t size : {14, 56}) {
          for (const int64_t stride : {1, 2}) {
            const SquareConv conv{.batch = 32,
                                  .in_channels = 64,
                                  .out_channels = 64,
                                  .size = size,
                                  .filter = filter,
                                  .stride = stride,
                                  .padding = filter / 2};
            visit(kind, conv, types,
                  std::string(types.name) + " " + NameOf(kind) + ", filter " +
                      std::to_string(filter) + ", size " +
                      std::to_string(size) + ", stride " +
                      std::to_string(stride));
          }
        }
      }
    }
  }
}

// The time may stand still while a wave of blocks fills. The filter's gradient
// is split along images from some length on, which may pay at once.
double MostGain(OpKind kind) {
  return kind == OpKind::kConvBackwardWeight ? 1.25 : 1.02;
}

TEST(ConvGridTest, MoreImagesAreNotFaster) {
  for (const GpuSpec* gpu : NvidiaGpus()) {
    ForEachConv([&](OpKind kind, SquareConv conv, const Types& types,
                    const std::string& name) {
      double before_ns = 0;
      for (const int64_t batch : {1, 2, 8, 16, 32, 33, 48, 64, 256}) {
        conv.batch = batch;
        const double ns = Ns(kind, conv, types, *gpu);
        EXPECT_GE(ns * MostGain(kind), before_ns)
            << gpu->name << ", " << name << ", batch " << batch;
        before_ns = ns;
      }
    });
  }
}

TEST(ConvGridTest, MoreChannelsAreNotFaster) {
  for (const GpuSpec* gpu : NvidiaGpus()) {
    ForEachConv([&](OpKind kind, SquareConv conv, const Types& types,
                    const std::string& name) {
      double before_ns = 0;
      for (const int64_t channels : {8, 16, 32, 48, 64, 72, 128, 256, 1024}) {
        conv.in_channels = conv.out_channels = channels;
        const double ns = Ns(kind, conv, types, *gpu);
        EXPECT_GE(ns * MostGain(kind), before_ns)
            << gpu->name << ", " << name << ", channels " << channels;
        before_ns = ns;
      }
    });
  }
}

// One image more than a full wave begins a new one, of few waves in all.
TEST(ConvGridTest, OneImageMoreCostsAtMostAWave) {
  for (const GpuSpec* gpu : NvidiaGpus()) {
    ForEachConv([&](OpKind kind, SquareConv conv, const Types& types,
                    const std::string& name) {
      if (conv.size < 56) return;  // one or two waves
      const double full_ns = Ns(kind, conv, types, *gpu);
      conv.batch += 1;
      EXPECT_LT(Ns(kind, conv, types, *gpu), 1.35 * full_ns)
          << gpu->name << ", " << name;
    });
  }
}

// Rates that long kernels sustain.
double Tensor(const GpuSpec& gpu, DType math) {
  return PeakFlopsPerS(gpu, math) * gpu.sustained_tensor_ratio;
}
double Bandwidth(const GpuSpec& gpu) {
  return gpu.bandwidth_bytes_per_s * gpu.sustained_bandwidth_ratio;
}

bool HasTensorCores(const GpuSpec& gpu, DType math) {
  return gpu.compute_major >= (math == DType::kF16 ? 7 : 8);
}

// By a fifth in all that counts.
bool IsFaster(const GpuSpec& fast, const GpuSpec& slow, DType math) {
  constexpr double kFaster = 1.2;
  if (Bandwidth(fast) < kFaster * Bandwidth(slow) ||
      SustainedFp32(fast) < kFaster * SustainedFp32(slow)) {
    return false;
  }
  return math == DType::kF32 ||
         (HasTensorCores(fast, math) && HasTensorCores(slow, math) &&
          Tensor(fast, math) >= kFaster * Tensor(slow, math));
}

// Of so many images that there are blocks for all SMs; the last wave of many
// SMs may be emptier than that of few.
TEST(ConvGridTest, AFasterGpuIsNotSlower) {
  constexpr double kUnevenWave = 1.35;
  int pairs = 0;
  for (const GpuSpec* slow : NvidiaGpus()) {
    for (const GpuSpec* fast : NvidiaGpus()) {
      ForEachConv([&](OpKind kind, SquareConv conv, const Types& types,
                      const std::string& name) {
        conv.batch = 256;
        if (!IsFaster(*fast, *slow, types.math)) return;
        ++pairs;
        EXPECT_LE(Ns(kind, conv, types, *fast),
                  kUnevenWave * Ns(kind, conv, types, *slow))
            << slow->name << " and " << fast->name << ", " << name;
      });
    }
  }
  EXPECT_GT(pairs, 1000);
}

TEST(ConvGridTest, TensorCoresAreNotSlowerThanFp32) {
  for (const GpuSpec* gpu : NvidiaGpus()) {
    ForEachConv([&](OpKind kind, const SquareConv& conv, const Types& types,
                    const std::string& name) {
      if (!HasTensorCores(*gpu, types.math) || types.math == DType::kF32 ||
          conv.filter > 3) {  // that may run as an FFT
        return;
      }
      EXPECT_LE(Ns(kind, conv, types, *gpu),
                1.1 * Ns(kind, conv, kTypes[0], *gpu))
          << gpu->name << ", " << name;
    });
  }
}

}  // namespace
}  // namespace dltap::opmodel

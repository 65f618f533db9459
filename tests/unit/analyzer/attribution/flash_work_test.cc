// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "analyzer/attribution/attribution.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

// Kernels as PyTorch's FlashAttention names them: tiles of 128 by 128, heads of
// 64; `flags` from Is_dropout on.
std::string Kernel(int at_us, const std::string& name, const std::string& grid,
                   const std::string& flags) {
  const std::string traits =
      "Flash_kernel_traits<64, 128, 128, 8, false, cutlass::bfloat16_t>";
  const std::string arguments =
      flags == "prepare" ? "true, " + traits : traits + ", " + flags;
  return "kernel t=" + std::to_string(at_us) + ".." +
         std::to_string(at_us + 5) +
         "us device=0 stream=7 corr=" + std::to_string(at_us) +
         " grid=" + grid + " block=128,1,1 name=\"void pytorch_flash::" + name +
         "<" + arguments + ">(pytorch_flash::Params)\"\n";
}

const std::string kCausal = "false, true, false, false, true, true, false";
const std::string kWhole = "false, false, false, false, true, true, false";
const std::string kRagged = "false, false, false, false, false, true, false";

std::string Forward(int at_us, const std::string& grid,
                    const std::string& flags) {
  return Kernel(at_us, "flash_fwd_kernel", grid, flags + ", false");
}

std::string Backward(int at_us, const std::string& queries,
                     const std::string& keys, const std::string& flags) {
  return Kernel(at_us, "flash_bwd_dot_do_o_kernel", queries, "prepare") +
         Kernel(at_us + 10, "flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel",
                keys, flags);
}

// FLOPs of each kernel in time; -1: not known.
std::vector<double> FlopsOf(const std::string& text) {
  const TraceModel model = TraceFromText("device 0\n" + text);
  const Attribution attribution = Attribute(model);
  std::vector<double> flops;
  for (const Activity& activity : model.processes[0].activities) {
    const auto& works = attribution.processes[0].launch_works;
    const auto it = works.find(LaunchKey{activity.name, activity.shape});
    const bool known = it != works.end() && it->second && it->second->flops;
    flops.push_back(known ? *it->second->flops : -1);
  }
  return flops;
}

// 4 x 8 heads, 512 queries and keys, half of the pairs: 4 * 64 FLOPs each, and
// 2.5 times that backward.
TEST(FlashWorkTest, TheBackwardPassTellsTheKeys) {
  const double forward = 32.0 * 512 * 512 / 2 * 4 * 64;
  EXPECT_EQ(FlopsOf(Forward(0, "4,4,8", kCausal) +
                    Backward(10, "4,4,8", "4,4,8", kCausal)),
            (std::vector<double>{forward, -1, 2.5 * forward}));
}

TEST(FlashWorkTest, KeysMayBeFewerThanQueries) {
  const double forward = 32.0 * 512 * 256 * 4 * 64;
  EXPECT_EQ(FlopsOf(Forward(0, "4,4,8", kWhole) +
                    Backward(10, "4,4,8", "2,4,8", kWhole)),
            (std::vector<double>{forward, -1, 2.5 * forward}));
}

TEST(FlashWorkTest, WithoutABackwardPassTheKeysAreNotKnown) {
  EXPECT_EQ(FlopsOf(Forward(0, "4,4,8", kCausal)), std::vector<double>{-1});
}

// One of the two has no backward pass, and may have other keys.
TEST(FlashWorkTest, MoreForwardThanBackwardPassesAreNotKnown) {
  const auto flops =
      FlopsOf(Forward(0, "4,4,8", kWhole) + Forward(10, "4,4,8", kWhole) +
              Backward(20, "4,4,8", "2,4,8", kWhole));
  EXPECT_EQ(flops,
            (std::vector<double>{-1, -1, -1, 2.5 * 32 * 512 * 256 * 4 * 64}));
}

TEST(FlashWorkTest, BackwardPassesOfOtherKeysMakeTheForwardPassUnknown) {
  const auto flops = FlopsOf(
      Forward(0, "4,4,8", kWhole) + Backward(10, "4,4,8", "2,4,8", kWhole) +
      Forward(30, "4,4,8", kWhole) + Backward(40, "4,4,8", "4,4,8", kWhole));
  EXPECT_EQ(flops[0], -1);
  EXPECT_EQ(flops[2], 2.5 * 32 * 512 * 256 * 4 * 64);
}

TEST(FlashWorkTest, LengthsThatAreNoWholeTilesAreNotKnown) {
  EXPECT_EQ(FlopsOf(Forward(0, "4,4,8", kRagged) +
                    Backward(10, "4,4,8", "4,4,8", kRagged)),
            (std::vector<double>{-1, -1, -1}));
}

}  // namespace
}  // namespace dltap::analyzer

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/xla/xla_origin.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace dltap::analyzer {
namespace {

using Views = std::vector<std::string_view>;

TEST(XlaOriginTest, AFusionHasItsOwnPathAndThoseOfWhatItComputes) {
  const XlaOrigin origin = ParseXlaOrigin(
      "fusion.3 = f32[8]{0} fusion(p), kind=kLoop, calls=computation.3, "
      "metadata={op_name=\"jit(f)/sub\" stack_frame_id=4}\n"
      "- train.py:90:8[<module>]\n-- train.py:12:4[step]\n"
      "computation.3 {\n"
      "  p = f32[8]{0} parameter(0), metadata={scheduling_name=\"p\"}\n"
      "  m = f32[8]{0} tanh(p), metadata={op_name=\"jit(f)/jvp()/tanh\"}\n"
      "  ROOT s = f32[8]{0} subtract(m, p), metadata={op_name=\"jit(f)/sub\"}\n"
      "}");
  EXPECT_EQ(origin.path, "jit(f)/sub");
  EXPECT_EQ(origin.paths,
            (Views{"jit(f)/sub", "jit(f)/jvp()/tanh", "jit(f)/sub"}));
  EXPECT_EQ(origin.frames,
            (Views{"train.py:90:8[<module>]", "train.py:12:4[step]"}));
}

TEST(XlaOriginTest, AComputationMayOnlyMoveElements) {
  const auto computes = [](const char* called) {
    return ParseXlaOrigin(std::string("f = u32[2] fusion(p), calls=c\nc {\n") +
                          called + "}")
        .computes;
  };
  EXPECT_FALSE(
      computes("  p = u32[2]{0} parameter(0)\n"
               "  ROOT c = u32[4]{0} concatenate(p, p)\n"));
  EXPECT_TRUE(
      computes("  p = u32[2]{0} parameter(0)\n"
               "  x = u32[2]{0} xor(p, p)\n"
               "  ROOT c = u32[4]{0} concatenate(x, p)\n"));
  EXPECT_FALSE(computes("  ROOT t = (u32[2]{0}, (f32[])) tuple(p, q)\n"));
  EXPECT_TRUE(computes("  ROOT t = (u32[2]{0}, f32[]) reduce(p, q)\n"));
  EXPECT_TRUE(computes("op_name=\"jit(f)/threefry2x32\"\n...\n"));
  EXPECT_FALSE(computes(""));
}

TEST(XlaOriginTest, AnInstructionMayHaveNone) {
  const XlaOrigin origin = ParseXlaOrigin("copy.1 = f32[] copy(args_0_.1)");
  EXPECT_TRUE(origin.path.empty());
  EXPECT_TRUE(origin.paths.empty());
  EXPECT_TRUE(origin.frames.empty());
}

TEST(XlaOriginTest, AnyTextIsRead) {
  EXPECT_TRUE(ParseXlaOrigin("").path.empty());
  EXPECT_TRUE(ParseXlaOrigin("\n\n-\n--\n---").paths.empty());
  EXPECT_TRUE(ParseXlaOrigin("a op_name=\"cut").paths.empty());
  EXPECT_TRUE(ParseXlaOrigin("a op_name=\"\" b").paths.empty());
}

}  // namespace
}  // namespace dltap::analyzer

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/composite/softmax_size.h"

#include <gtest/gtest.h>

#include <string>

namespace dltap::analyzer {
namespace {

LaunchShape Grid(uint32_t blocks, uint32_t threads, uint32_t rows) {
  LaunchShape shape;
  shape.grid = {blocks, 1, 1};
  shape.block = {threads, rows, 1};
  return shape;
}

std::string Warp(int log2, const std::string& is_log = "false") {
  return "void (anonymous namespace)::softmax_warp_forward<float, float, "
         "float, " +
         std::to_string(log2) + ", " + is_log + ", false>(float*, int)";
}

// Four rows of threads, two rows each: 17 to 24 rows of 33 to 64.
TEST(SoftmaxSizeTest, ABlockHandlesTwoShortRowsByAWarp) {
  const SoftmaxSize size = SizeOfSoftmax(Warp(6), Grid(3, 32, 4));
  EXPECT_EQ(size.rows_least, 17);
  EXPECT_EQ(size.rows_most, 24);
  EXPECT_TRUE(MayBeOver(size, 24, 64));
  EXPECT_FALSE(MayBeOver(size, 16, 64));
  EXPECT_FALSE(MayBeOver(size, 24, 65));
  EXPECT_TRUE(MayBeOver(size, 24, 17));  // 33, if 16 were appended
  EXPECT_FALSE(MayBeOver(size, 24, 16));
}

TEST(SoftmaxSizeTest, ARowOfMoreHasABlock) {
  const SoftmaxSize size = SizeOfSoftmax(
      "void at::native::cunn_SoftMaxForwardSmem<4, float, float, float, "
      "at::native::SoftMaxForwardEpilogue, long>(float*)",
      Grid(96, 1024, 1));
  EXPECT_TRUE(MayBeOver(size, 96, 2000));
  EXPECT_FALSE(MayBeOver(size, 95, 2000));
  EXPECT_FALSE(MayBeOver(size, 96, 200));
}

TEST(SoftmaxSizeTest, ElementsAreOfWholeRows) {
  SoftmaxSize size = SizeOfSoftmax("softmax_kernel", LaunchShape());
  EXPECT_FALSE(size.known());
  size.elements = 24 * 65;
  EXPECT_TRUE(MayBeOver(size, 24, 64));
  EXPECT_TRUE(MayBeOver(size, 24, 65));
  EXPECT_FALSE(MayBeOver(size, 24, 66));
  EXPECT_FALSE(MayBeOver(size, 23, 64));
}

TEST(SoftmaxSizeTest, ALogarithmIsOfALoss) {
  EXPECT_TRUE(SizeOfSoftmax(Warp(6, "true"), Grid(3, 32, 4)).is_log);
  EXPECT_FALSE(SizeOfSoftmax(Warp(6), Grid(3, 32, 4)).is_log);
}

}  // namespace
}  // namespace dltap::analyzer

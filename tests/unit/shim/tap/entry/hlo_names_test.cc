// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/hlo_names.h"

#include <string>

#include "gtest/gtest.h"

namespace dltap::shim::nvtx {
namespace {

std::string NamesIn(const std::string& dump, uint32_t capacity = 1000,
                    uint32_t expected_left_out = 0) {
  std::string out(capacity, '?');
  uint32_t left_out = 0;
  out.resize(CopyOperationNames(dump.data(), static_cast<uint32_t>(dump.size()),
                                out.data(), capacity, &left_out));
  EXPECT_EQ(left_out, expected_left_out);
  return out;
}

TEST(HloNamesTest, EachNameIsKeptOnce) {
  EXPECT_EQ(NamesIn("a = f32[8] add(b, c), metadata={op_name=\"jit(f)/add\" "
                    "stack_frame_id=4}\nROOT d = f32[8] tanh(a), "
                    "metadata={op_name=\"jit(f)/tanh\"}\n"
                    "e = f32[8] add(d, c), metadata={op_name=\"jit(f)/add\"}"),
            "op_name=\"jit(f)/add\"\nop_name=\"jit(f)/tanh\"\n");
}

TEST(HloNamesTest, OtherTextsHaveNone) {
  EXPECT_EQ(NamesIn(""), "");
  EXPECT_EQ(NamesIn("- train.py:12:4[step]\n"), "");
  EXPECT_EQ(NamesIn("op_name=\"cut"), "");
  EXPECT_EQ(NamesIn("op_name="), "");
}

TEST(HloNamesTest, WhatDoesNotFitIsLeftOutWhole) {
  EXPECT_EQ(NamesIn("op_name=\"a\" op_name=\"long\" op_name=\"b\"", 26, 1),
            "op_name=\"a\"\nop_name=\"b\"\n");
  EXPECT_EQ(NamesIn("op_name=\"a\"", 11, 1), "");
}

}  // namespace
}  // namespace dltap::shim::nvtx

// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/hlo_names.h"

#include <string>

#include "gtest/gtest.h"

namespace dltap::shim::nvtx {
namespace {

std::string NamesIn(const std::string& dump, uint32_t capacity = 1000) {
  std::string out(capacity, '?');
  out.resize(CopyOperationNames(dump.data(), static_cast<uint32_t>(dump.size()),
                                out.data(), capacity));
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

TEST(HloNamesTest, AScopeMayHaveQuotes) {
  const std::string name = R"x(op_name="jit(f)/run \"a\\\"/transpose(jvp())")x";
  EXPECT_EQ(NamesIn("x " + name + " y"), name + "\n");
  EXPECT_EQ(NamesIn(R"(op_name="cut \")"), "");
}

TEST(HloNamesTest, WhatDoesNotFitIsLeftOutAndSaid) {
  const std::string dump = "op_name=\"a\" op_name=\"long\" op_name=\"b\"";
  EXPECT_EQ(NamesIn(dump, 28), "op_name=\"a\"\n...\n");
  EXPECT_EQ(NamesIn(dump, 8), "...\n");
}

}  // namespace
}  // namespace dltap::shim::nvtx

// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/python_reader.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>

namespace dltap::shim {
namespace {

std::unique_ptr<PythonPath> Path(
    std::initializer_list<PythonPath::Frame> frames) {
  auto path = std::make_unique<PythonPath>();
  for (const PythonPath::Frame& frame : frames) {
    path->frames[path->count++] = frame;
  }
  return path;
}

constexpr PythonPath::Frame kMain = {100, 1, 10};
constexpr PythonPath::Frame kLoop = {200, 2, 20};
constexpr PythonPath::Frame kLeaf = {300, 3, 30};

TEST(StablePartTest, WhatHasNotChangedIsAllOfIt) {
  const auto path = Path({kLeaf, kLoop, kMain});
  EXPECT_EQ(StablePart(*path, *path), 0);
}

TEST(StablePartTest, TheInnermostFrameMayHaveGoneOn) {
  PythonPath::Frame later = kLeaf;
  later.instruction += 2;
  const auto before = Path({kLeaf, kLoop, kMain});
  EXPECT_EQ(StablePart(*before, *Path({later, kLoop, kMain})), 0);
}

// Frames come to lie at the same place again: what lies inside one that has
// gone on was called by another line of it.
TEST(StablePartTest, AFrameThatHasGoneOnIsTheInnermost) {
  PythonPath::Frame later = kLoop;
  later.instruction += 2;
  const auto before = Path({kLeaf, kLoop, kMain});
  EXPECT_EQ(StablePart(*before, *Path({kLeaf, later, kMain})), 1);
}

TEST(StablePartTest, ACallOrAReturnInBetweenLeavesTheCaller) {
  const auto before = Path({kLeaf, kLoop, kMain});
  EXPECT_EQ(StablePart(*before, *Path({kLoop, kMain})), 0);
  EXPECT_EQ(StablePart(*Path({kLoop, kMain}), *before), 1);
}

TEST(StablePartTest, OtherCodeAtTheSamePlaceIsAnotherFrame) {
  PythonPath::Frame other = kMain;
  other.code = 9;
  const auto before = Path({kLeaf, kLoop, kMain});
  EXPECT_EQ(StablePart(*before, *Path({kLeaf, kLoop, other})), 3);
}

}  // namespace
}  // namespace dltap::shim

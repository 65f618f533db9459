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

// Takes paths as they are read; nullptr: one that cannot be.
struct Copies {
  explicit Copies(int compared) : copies(compared) {}
  void Take(const PythonPath* read) {
    before = last;
    if (read != nullptr) last = *read;
    copies.Take(read != nullptr, before, &last);
  }
  PathCopies copies;
  PythonPath before = {};
  PythonPath last = {};
};

TEST(PathCopiesTest, ACopyThatIsCutIsTakenAgain) {
  const auto path = Path({kLeaf, kLoop, kMain});
  const auto cut = Path({kLeaf});
  Copies all(3);
  for (const PythonPath* read : {cut.get(), path.get(), cut.get(), path.get(),
                                 cut.get(), path.get()}) {
    EXPECT_FALSE(all.copies.AreEnough());
    all.Take(read);
  }
  EXPECT_TRUE(all.copies.AreEnough());
  EXPECT_FALSE(all.copies.AreTorn());
  EXPECT_EQ(all.last.count, 3);
  EXPECT_EQ(all.copies.First(all.last), 0);
}

TEST(PathCopiesTest, TheLeastThatStayedCounts) {
  PythonPath::Frame later = kLoop;
  later.instruction += 2;
  const auto path = Path({kLeaf, kLoop, kMain});
  const auto other = Path({kLeaf, later, kMain});
  Copies all(3);
  for (const PythonPath* read :
       {path.get(), path.get(), other.get(), other.get()}) {
    all.Take(read);
  }
  EXPECT_TRUE(all.copies.AreEnough());
  EXPECT_EQ(all.copies.First(all.last), 1);
}

TEST(PathCopiesTest, WhatCannotBeReadIsTriedAgain) {
  const auto path = Path({kLeaf, kLoop, kMain});
  Copies all(2);
  all.Take(path.get());
  all.Take(nullptr);
  EXPECT_EQ(all.last.count, 3);
  all.Take(path.get());
  all.Take(path.get());
  EXPECT_TRUE(all.copies.AreEnough());
}

TEST(PathCopiesTest, PathsOfWhichNothingStaysAreNoneInTheEnd) {
  const auto one = Path({kLeaf, kMain});
  const auto another = Path({kMain, kLeaf});
  Copies all(3);
  int taken = 0;
  for (; !all.copies.AreEnough() && !all.copies.AreTorn(); ++taken) {
    all.Take(taken % 2 == 0 ? one.get() : another.get());
  }
  EXPECT_TRUE(all.copies.AreTorn());
  EXPECT_LE(taken, PathCopies::kMostTorn + 2);
}

}  // namespace
}  // namespace dltap::shim

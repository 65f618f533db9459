// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/activity/cupti/cupti_api.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <vector>

namespace dltap::shim::cupti {
namespace {

std::vector<int> Majors(int library, int driver) {
  const CudaMajors found = MajorsToTry(library, driver);
  const auto end =
      std::find(std::begin(found.majors), std::end(found.majors), 0);
  return {std::begin(found.majors), end};
}

TEST(MajorsToTryTest, TheProgramsOwnComesFirst) {
  EXPECT_EQ(Majors(12, 13), (std::vector<int>{12, 13}));
  EXPECT_EQ(Majors(13, 13), (std::vector<int>{13, 12}));
}

// A runtime that is linked statically shows nothing of its version.
TEST(MajorsToTryTest, WithoutALibraryTheDriverDecides) {
  EXPECT_EQ(Majors(0, 12), (std::vector<int>{12}));
  EXPECT_EQ(Majors(0, 13), (std::vector<int>{13, 12}));
  EXPECT_EQ(Majors(0, 14), (std::vector<int>{13, 12}));
  EXPECT_EQ(Majors(0, 0), (std::vector<int>{13, 12}));
}

// Compatibility packages: the program's is newer than the driver says.
TEST(MajorsToTryTest, NothingNewerThanTheDriverUnlessTheProgramHasIt) {
  EXPECT_EQ(Majors(12, 12), (std::vector<int>{12}));
  EXPECT_EQ(Majors(13, 12), (std::vector<int>{13, 12}));
  EXPECT_EQ(Majors(11, 12), (std::vector<int>{12}));
}

}  // namespace
}  // namespace dltap::shim::cupti

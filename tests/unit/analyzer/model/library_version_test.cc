// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/library_version.h"

#include <gtest/gtest.h>

namespace dltap::analyzer {
namespace {

TEST(LibraryVersionTest, NumbersAreTakenApartAsTheirLibraryCounts) {
  EXPECT_EQ(VersionText({"cuda", 13000, ""}), "13.0");
  EXPECT_EQ(VersionText({"cudart", 12090, ""}), "12.9");
  EXPECT_EQ(VersionText({"cublas", 130100, ""}), "13.1.0");
  EXPECT_EQ(VersionText({"cudnn", 91900, ""}), "9.19.0");
  EXPECT_EQ(VersionText({"cudnn", 8907, ""}), "8.9.7");
  EXPECT_EQ(VersionText({"nccl", 22809, ""}), "2.28.9");
}

TEST(LibraryVersionTest, OtherNumbersStayAsTheyAre) {
  EXPECT_EQ(VersionText({"cupti", 28, ""}), "28");
}

TEST(LibraryVersionTest, TextWins) {
  EXPECT_EQ(VersionText({"torch", 0, "2.11.0+cu130"}), "2.11.0+cu130");
}

}  // namespace
}  // namespace dltap::analyzer

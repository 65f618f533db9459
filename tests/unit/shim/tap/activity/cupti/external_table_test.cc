// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/activity/cupti/external_table.h"

#include <gtest/gtest.h>

#include <memory>

namespace dltap::shim::cupti {
namespace {

TEST(ExternalTableTest, IdsFarApartDoNotMeet) {
  const auto table = std::make_unique<ExternalTable>();
  // Equal in their low 17 bits, as ids of one busy pass are.
  for (uint32_t i = 0; i < 100; ++i) table->Add(7 + (i << 17), 1000 + i);
  for (uint32_t i = 0; i < 100; ++i) {
    EXPECT_EQ(table->Get(7 + (i << 17)), 1000 + i);
  }
  EXPECT_EQ(table->Get(8), 0);
}

TEST(ExternalTableTest, ForgetsTheOldestFirst) {
  const auto table = std::make_unique<ExternalTable>();
  constexpr uint32_t kMany = 1u << 18;
  for (uint32_t id = 1; id <= kMany; ++id) table->Add(id, id + uint64_t{5});
  EXPECT_EQ(table->Get(1), 0);
  for (uint32_t id = kMany - (1u << 16) + 1; id <= kMany; ++id) {
    ASSERT_EQ(table->Get(id), id + uint64_t{5});
  }
}

}  // namespace
}  // namespace dltap::shim::cupti

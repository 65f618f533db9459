// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/tagging/late_table.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>

namespace dltap::shim {
namespace {

constexpr size_t kPages = 1024;
struct Table {
  std::array<uint8_t, kPages * 4096> bytes;
};

size_t ResidentPages(const Table* table) {
  std::array<unsigned char, kPages> pages{};
  EXPECT_EQ(mincore(const_cast<Table*>(table), sizeof(*table), pages.data()),
            0);
  return static_cast<size_t>(
      std::count_if(pages.begin(), pages.end(),
                    [](unsigned char page) { return (page & 1) != 0; }));
}

TEST(LateTable, IsThereFromTheFirstUseOn) {
  constinit static LateTable<Table> table;
  EXPECT_EQ(table.Find(), nullptr);
  Table* made = table.Make();
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(made->bytes[12345], 0);
  made->bytes[12345] = 7;
  EXPECT_EQ(table.Make(), made);
  EXPECT_EQ(table.Find()->bytes[12345], 7);
}

// In a child, whose limits and locks end with it.
TEST(LateTable, WithoutMemoryThereIsNoneAndErrnoStays) {
  constinit static LateTable<Table> table;
  const pid_t child = fork();
  if (child == 0) {
    const rlimit none = {0, 0};
    setrlimit(RLIMIT_DATA, &none);
    errno = 42;
    const bool is_refused = table.Make() == nullptr && errno == 42;
    const rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_DATA, &all);
    _exit(is_refused && table.Make() == nullptr ? 3 : 4);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 3);
  EXPECT_NE(table.Make(), nullptr);
}

TEST(LateTable, TakesOnlyTouchedPagesAfterMlockall) {
  constinit static LateTable<Table> table;
  const pid_t child = fork();
  if (child == 0) {
    if (mlockall(MCL_FUTURE) != 0) _exit(5);
    Table* made = table.Make();
    if (made == nullptr) _exit(6);
    made->bytes[0] = 1;
    _exit(ResidentPages(made) < kPages / 2 ? 3 : 4);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WEXITSTATUS(status) == 5) GTEST_SKIP() << "may not lock memory";
  EXPECT_EQ(WEXITSTATUS(status), 3);
}

}  // namespace
}  // namespace dltap::shim

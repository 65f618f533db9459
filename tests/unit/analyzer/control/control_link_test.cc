// SPDX-License-Identifier: Apache-2.0
#include "analyzer/control/control_link.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shim/trace/control_page.h"

namespace dltap::analyzer {
namespace {

// A file of this process that has the name of a control page.
class Pretender {
 public:
  Pretender(off_t bytes, int seals)
      : fd_(memfd_create(trace::kControlName,
                         MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
    EXPECT_EQ(ftruncate(fd_, bytes), 0);
    const uint32_t page[] = {trace::kControlMagic, trace::kControlVersion,
                             static_cast<uint32_t>(getpid())};
    if (bytes >= static_cast<off_t>(sizeof(page))) {
      EXPECT_EQ(pwrite(fd_, page, sizeof(page), 0), sizeof(page));
    }
    EXPECT_EQ(fcntl(fd_, F_ADD_SEALS, seals), 0);
  }
  ~Pretender() { close(fd_); }

 private:
  int fd_;
};

absl::StatusCode CodeFor(off_t bytes, int seals) {
  const Pretender page(bytes, seals);
  return ControlLink::To(getpid()).status().code();
}

TEST(ControlLinkTest, TakesAPageThatNobodyCanCutOff) {
  constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  EXPECT_EQ(CodeFor(trace::kControlBytes, kSeals), absl::StatusCode::kOk);
  EXPECT_EQ(CodeFor(0, kSeals), absl::StatusCode::kNotFound);
  EXPECT_EQ(CodeFor(64, kSeals), absl::StatusCode::kNotFound);
  EXPECT_EQ(CodeFor(trace::kControlBytes, F_SEAL_GROW),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace dltap::analyzer

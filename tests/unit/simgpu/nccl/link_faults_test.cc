// SPDX-License-Identifier: Apache-2.0
// What a slow link between two of four ranks costs whom.
#include <sys/mman.h>

#include <array>
#include <cstdlib>
#include <new>

#include "tests/unit/simgpu/nccl/ranks.h"

namespace {

using namespace dltap::simgpu_test;  // NOLINT

constexpr int kRanks = 4;
constexpr size_t kFloats = 1 << 18;

using PerRank = std::array<float, kRanks>;

class LinkFaultsTest : public testing::Test {
 protected:
  // How long each rank's calls last, of ranks that come at the same time.
  template <typename Calls>
  PerRank Milliseconds(const char* faults, Calls calls, bool in_pairs = false) {
    void* memory = mmap(nullptr, sizeof(PerRank), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    auto* lasted = new (memory) PerRank{};
    // In a process of its own: the environment is read once.
    const pid_t child = fork();
    if (child == 0) {
      setenv("DLTAP_SIM_GPU", "h100-sxm", 1);
      setenv("DLTAP_SIM_CLOCK", "virtual", 1);
      setenv("DLTAP_SIM_QUIET", "1", 1);
      setenv("DLTAP_SIM_FAULTS", faults, 1);
      InRanks(kRanks, [&](Rank& r) {
        (*lasted)[r.rank()] = Lasting(r, calls, in_pairs);
      });
      _exit(HasFailure() ? 1 : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    return *lasted;
  }

 private:
  template <typename Calls>
  static float Lasting(Rank& r, Calls calls, bool in_pairs) {
    ncclComm_t comm = r.comm();
    if (in_pairs) {
      ncclCommSplit(r.comm(), r.rank() / 2, -r.rank(), &comm, nullptr);
    }
    float* data = r.Device<float>(std::vector<float>(kRanks * kFloats));
    // All clocks meet here.
    ncclAllReduce(data, data, 1, ncclFloat, ncclSum, r.comm(), r.stream());
    cudaEvent_t before = nullptr;
    cudaEvent_t after = nullptr;
    cudaEventCreate(&before);
    cudaEventCreate(&after);
    cudaEventRecord(before, r.stream());
    calls(r, comm, data);
    cudaEventRecord(after, r.stream());
    cudaEventSynchronize(after);
    float ms = -1;
    cudaEventElapsedTime(&ms, before, after);
    return ms;
  }
};

void Sum(Rank& r, ncclComm_t comm, float* data) {
  ncclAllReduce(data, data, kRanks * kFloats, ncclFloat, ncclSum, comm,
                r.stream());
}

TEST_F(LinkFaultsTest, TheSlowestLinkOfARingBoundsAllItsRanks) {
  const PerRank sound = Milliseconds("", Sum);
  const PerRank slow = Milliseconds("link:1-2:x0.1,link:2-3:x0.5", Sum);
  for (int rank = 0; rank < kRanks; ++rank) {
    EXPECT_GT(slow[rank], 2 * sound[rank]);
    EXPECT_NEAR(slow[rank], slow[0], 0.02 * slow[0]);
  }
  // Where it stands in the rule, and whose link is no part of the ring.
  EXPECT_NEAR(Milliseconds("link:2-1:x0.1", Sum)[0], slow[0], 0.02 * slow[0]);
  EXPECT_NEAR(Milliseconds("link:1-3:x0.1", Sum)[0], sound[0], 0.05 * sound[0]);
  EXPECT_NEAR(Milliseconds("link:1-2@1000-:x0.1", Sum)[0], sound[0],
              0.05 * sound[0]);
  // Only where all links are faster is the ring.
  EXPECT_NEAR(Milliseconds("link:1-2:x10", Sum)[0], sound[0], 0.05 * sound[0]);
  EXPECT_LT(Milliseconds("link:*:x10", Sum)[0], 0.9 * sound[0]);
}

TEST_F(LinkFaultsTest, ASplitKeepsTheRanksOfTheJob) {
  const PerRank sound = Milliseconds("", Sum, true);
  const PerRank slow = Milliseconds("link:2-3:x0.05", Sum, true);
  EXPECT_NEAR(slow[0], sound[0], 0.1 * sound[0]);
  EXPECT_NEAR(slow[1], sound[1], 0.1 * sound[1]);
  EXPECT_GT(slow[2], 1.5 * slow[0]);
  EXPECT_GT(slow[3], 1.5 * slow[1]);
}

// To the next rank of a pair.
void Send(Rank& r, ncclComm_t comm, float* data) {
  if (r.rank() % 2 == 0) {
    ncclSend(data, kRanks * kFloats, ncclFloat, r.rank() + 1, comm, r.stream());
  } else {
    ncclRecv(data, kRanks * kFloats, ncclFloat, r.rank() - 1, comm, r.stream());
  }
}

TEST_F(LinkFaultsTest, ASendUsesTheLinkToItsPeer) {
  const PerRank sound = Milliseconds("", Send);
  const PerRank slow = Milliseconds("link:0-1:x0.1", Send);
  EXPECT_GT(slow[0], 2 * sound[0]);
  EXPECT_GT(slow[1], 2 * sound[1]);
  EXPECT_NEAR(slow[2], sound[2], 0.05 * sound[2]);
  EXPECT_NEAR(slow[3], sound[3], 0.05 * sound[3]);
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0
#include "simgpu/base/scoped_faults.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "simgpu/base/clock.h"
#include "simgpu/base/job_rank.h"

namespace dltap::simgpu {
namespace {

// Of several faults at once: durations must stay numbers.
constexpr double kSlowestOfAll = 1e-6;

bool Joins(const ScopedFault& fault, int rank, int other) {
  return (fault.ranks.Holds(rank) && fault.others.Holds(other)) ||
         (fault.ranks.Holds(other) && fault.others.Holds(rank));
}

template <typename IsMeant>
double Speed(ScopedKind kind, int64_t at_ns, IsMeant is_meant) {
  const auto* faults = g_scoped_faults.load(std::memory_order_acquire);
  if (faults == nullptr) return 1;
  const int64_t since_ns = at_ns - JobStart();
  double speed = 1;
  for (const ScopedFault& fault : *faults) {
    if (fault.kind == kind && fault.HoldsAt(since_ns) && is_meant(fault)) {
      speed *= fault.speed;
    }
  }
  return std::clamp(speed, kSlowestOfAll, 1 / kSlowestOfAll);
}

double SpeedOfRank(ScopedKind kind, int device, int64_t at_ns) {
  return Speed(kind, at_ns, [rank = RankOf(device)](const ScopedFault& fault) {
    return fault.ranks.Holds(rank);
  });
}

}  // namespace

constinit std::atomic<const std::vector<ScopedFault>*> g_scoped_faults{nullptr};

void SetScopedFaults(std::vector<ScopedFault> faults) {
  if (faults.empty()) return;
  JobStart();  // before time goes on
  g_scoped_faults.store(new std::vector<ScopedFault>(std::move(faults)),
                        std::memory_order_release);
}

double GpuSpeed(int device, int64_t at_ns) {
  return SpeedOfRank(ScopedKind::kGpu, device, at_ns);
}

double HostSpeed(int device, int64_t at_ns) {
  return SpeedOfRank(ScopedKind::kHost, device, at_ns);
}

double LinkSpeed(int rank, int other_rank, int64_t at_ns) {
  return Speed(ScopedKind::kLink, at_ns, [=](const ScopedFault& fault) {
    return Joins(fault, rank, other_rank);
  });
}

void MeetDeath(int device, bool puts_work) {
  const auto* faults = g_scoped_faults.load(std::memory_order_acquire);
  if (faults == nullptr) return;
  const int64_t since_ns = SimNow() - JobStart();
  for (const ScopedFault& fault : *faults) {
    if (fault.kind != ScopedKind::kDead || !fault.HoldsAt(since_ns)) continue;
    if (!fault.ranks.Holds(RankOf(device))) continue;
    if (!fault.hangs) kill(getpid(), SIGKILL);
    while (fault.hangs && puts_work) pause();
  }
}

}  // namespace dltap::simgpu

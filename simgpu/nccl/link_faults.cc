// SPDX-License-Identifier: Apache-2.0
#include "simgpu/nccl/link_faults.h"

#include <algorithm>

#include "simgpu/base/scoped_faults.h"

namespace dltap::simgpu {
namespace {

class Links {
 public:
  Links(const ncclComm& comm, int64_t at_ns) : comm_(comm), at_ns_(at_ns) {}

  double Between(int rank, int other) const {
    if (rank == other) return 1;  // stays in its memory
    return LinkSpeed(comm_.peers[rank].job_rank, comm_.peers[other].job_rank,
                     at_ns_);
  }

  double OfRing() const {
    double slowest = Between(0, 1);
    for (int rank = 1; rank < comm_.ranks; ++rank) {
      slowest = std::min(slowest, Between(rank, (rank + 1) % comm_.ranks));
    }
    return slowest;
  }

  // As much goes to each other rank.
  double ToAll() const {
    double times = 0;
    for (int rank = 0; rank < comm_.ranks; ++rank) {
      if (rank != comm_.rank) times += 1 / Between(comm_.rank, rank);
    }
    return (comm_.ranks - 1) / times;
  }

 private:
  const ncclComm& comm_;
  const int64_t at_ns_;
};

}  // namespace

double SpeedOfLinks(const Operation& operation, int64_t at_ns) {
  const ncclComm& comm = *operation.comm;
  const auto ranks = static_cast<size_t>(comm.ranks);
  if (ranks < 2 || comm.peers.size() < ranks) return 1;
  const Links links(comm, at_ns);
  switch (operation.collective) {
    case Collective::kSend:
    case Collective::kReceive: return links.Between(comm.rank, operation.root);
    case Collective::kAllToAll: return links.ToAll();
    case Collective::kGather:
    case Collective::kScatter:
      return comm.rank == operation.root
                 ? links.ToAll()
                 : links.Between(comm.rank, operation.root);
    default: return links.OfRing();
  }
}

int64_t LinkDelayNs(const std::vector<Operation>& batch, int64_t at_ns) {
  const auto speed_of = [at_ns](const Operation& operation) {
    return SpeedOfLinks(operation, at_ns);
  };
  return DurationNs(batch, speed_of) - DurationNs(batch);
}

}  // namespace dltap::simgpu

// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_NCCL_COMMUNICATOR_H_
#define DLTAP_SIMGPU_NCCL_COMMUNICATOR_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "simgpu/nccl/nccl_call.h"

namespace dltap::simgpu {

// A process that holds a rank.
struct Peer {
  int32_t pid = 0;
  int32_t device = 0;
  int32_t job_rank = 0;  // base/job_rank.h, as the next
  int64_t job_start_ns = 0;
};

// Whether the peer's process has ended.
bool HasEnded(const Peer& peer);

// ncclRedOpCreatePreMulSum: each rank's input is scaled before it is summed.
struct ScaledSum {
  bool in_use = false;
  ncclDataType_t type{};
  double host_value = 0;               // ncclScalarHostImmediate
  const void* device_value = nullptr;  // ncclScalarDevice: read when it runs
};

}  // namespace dltap::simgpu

// The vendor's opaque type. Leaked when it is destroyed, a few bytes: work in
// flight may still name it.
struct ncclComm {
  // Sequence numbers count alike in every rank, since all ranks call the
  // collectives of a communicator in the same order.
  uint64_t NextCollective() { return collectives.fetch_add(1); }
  uint64_t NextSend(int peer) { return Next(sends, peer); }
  uint64_t NextReceive(int peer) { return Next(receives, peer); }

  std::string id;  // the same in all ranks, unique on the machine
  int ranks = 1;
  int rank = 0;
  int device = 0;
  bool blocking = true;                    // ncclConfig_t::blocking
  std::vector<dltap::simgpu::Peer> peers;  // by rank, once it is set up
  uint64_t splits = 0;
  uint64_t shrinks = 0;

  std::atomic<bool> aborted{false};
  // Raised by what stops the operations in flight.
  std::atomic<uint64_t> generation{0};
  std::atomic<int> in_flight{0};  // operations that are not over
  std::atomic<bool> finalizing{false};
  // ncclInProgress while it is set up.
  std::atomic<ncclResult_t> async_error{ncclSuccess};

  std::mutex mutex;             // of what follows
  std::function<bool()> setup;  // asked until true, then empty
  std::map<int, uint64_t> sends;
  std::map<int, uint64_t> receives;
  std::vector<dltap::simgpu::ScaledSum> scaled_sums;

 private:
  uint64_t Next(std::map<int, uint64_t>& counts, int peer) {
    const std::lock_guard lock(mutex);
    return counts[peer]++;
  }

  std::atomic<uint64_t> collectives{0};
};

namespace dltap::simgpu {

// ncclInvalidArgument where the communicator cannot be used (yet).
ncclResult_t CheckUsable(ncclComm* comm);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_NCCL_COMMUNICATOR_H_

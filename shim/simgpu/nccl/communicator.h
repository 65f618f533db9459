// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SIMGPU_NCCL_COMMUNICATOR_H_
#define DLTAP_SHIM_SIMGPU_NCCL_COMMUNICATOR_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "shim/simgpu/nccl/nccl_call.h"

// The vendor's opaque type.
struct ncclComm {
  ncclComm(std::string clique, int rank_count, int own_rank, int on_device)
      : id(std::move(clique)),
        ranks(rank_count),
        rank(own_rank),
        device(on_device) {}

  // Sequence numbers count alike in every rank, since all ranks call the
  // collectives of a communicator in the same order.
  uint64_t NextCollective() { return collectives.fetch_add(1); }
  uint64_t NextSend(int peer) { return Next(sends, peer); }
  uint64_t NextReceive(int peer) { return Next(receives, peer); }

  const std::string id;  // the same in all ranks, unique on the machine
  const int ranks;
  const int rank;
  const int device;
  std::atomic<bool> aborted{false};
  std::atomic<ncclResult_t> async_error{ncclSuccess};

 private:
  uint64_t Next(std::map<int, uint64_t>& counts, int peer) {
    const std::lock_guard lock(mutex);
    return counts[peer]++;
  }

  std::atomic<uint64_t> collectives{0};
  std::mutex mutex;
  std::map<int, uint64_t> sends;
  std::map<int, uint64_t> receives;
};

#endif  // DLTAP_SHIM_SIMGPU_NCCL_COMMUNICATOR_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SIMGPU_NCCL_OPERATION_H_
#define DLTAP_SHIM_SIMGPU_NCCL_OPERATION_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "shim/simgpu/nccl/communicator.h"

namespace dltap::simgpu {

enum class Collective : uint8_t {
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kBroadcast,
  kReduce,
  kAllToAll,
  kGather,
  kScatter,
  kSend,
  kReceive
};

// One call, as its arguments say. Counts are elements; of what, by collective:
// the input per rank, but for kReduceScatter, kScatter the output per rank.
struct Operation {
  Collective collective;
  const void* input;
  void* output;
  size_t count;
  ncclDataType_t type;
  ncclRedOp_t op = ncclSum;
  int root = 0;  // root, or the peer of a send or receive
  ncclComm* comm;
  cudaStream_t stream;

  size_t bytes() const;  // of `count` elements
};

// The two halves of an exchange. In a group, all are published before any is
// completed, so that no order of calls makes ranks wait for each other.
class Exchange {
 public:
  explicit Exchange(const Operation& operation);

  // Puts this rank's input where the peers find it.
  bool Publish();
  // Waits for the peers' inputs and writes the output.
  void Complete();

 private:
  std::string NameOf(int rank) const;
  uint32_t Readers() const;
  size_t InputBytes() const;
  size_t OutputBytes() const;
  bool Contributes() const;
  bool Receives() const;
  void CompleteReduction();
  void CompleteCopies();
  void CopyFrom(int rank, size_t source_offset, size_t target_offset,
                size_t bytes);

  Operation operation_;
  std::string prefix_;
};

// Checks arguments as NCCL documents.
ncclResult_t Check(const Operation& operation);

// The kernel's name, mangled, as NCCL 2.28 has it; lives for ever.
const char* KernelName(const Operation& operation);

// Time on the wire: alpha + beta x bytes over NVLink, or PCIe without it
// (Thakur et al. 2005; NCCL's ring moves 2 (n-1)/n of an all-reduce).
int64_t DurationNs(const Operation& operation);

}  // namespace dltap::simgpu

#endif  // DLTAP_SHIM_SIMGPU_NCCL_OPERATION_H_

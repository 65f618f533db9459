// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_NCCL_OPERATION_H_
#define DLTAP_SIMGPU_NCCL_OPERATION_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "simgpu/nccl/communicator.h"

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

// One call, as its arguments say. Counts are elements of the input per rank;
// for kReduceScatter and kScatter, of the output per rank.
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

bool IsReduction(Collective collective);

// Checks arguments as NCCL documents.
ncclResult_t Check(const Operation& operation);

// What this rank's input is multiplied with before it is sent: 1, or the scalar
// of an operator of ncclRedOpCreatePreMulSum. Reads the scalar's memory.
double FactorOf(const Operation& operation);

// The kernel's name, mangled, as NCCL 2.28 has it; lives for ever. There is one
// for each collective, type and algorithm, named after the sum and protocol LL
// whatever runs in it (NCCL, src/device/generate.py, best_kernel).
const char* KernelName(const Operation& operation);

// Of what a group does with one communicator on one stream
// (opmodel/collective_time.h), over the link of DLTAP_SIM_TOPOLOGY.
int64_t DurationNs(const std::vector<Operation>& batch);

// The same, where each call has that share of its links' bandwidth.
int64_t DurationNs(const std::vector<Operation>& batch,
                   const std::function<double(const Operation&)>& speed_of);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_NCCL_OPERATION_H_

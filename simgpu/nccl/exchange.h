// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_NCCL_EXCHANGE_H_
#define DLTAP_SIMGPU_NCCL_EXCHANGE_H_

#include <memory>
#include <string>
#include <vector>

#include "simgpu/nccl/mailbox.h"
#include "simgpu/nccl/operation.h"
#include "simgpu/stream/work.h"

namespace dltap::simgpu {

// What one call does with the memory of the ranks.
class Exchange {
 public:
  // Takes the call's number among those of its communicator.
  explicit Exchange(const Operation& operation);

  // Puts this rank's input where the peers find it. The kernel here begins at
  // begin_ns.
  void Publish(int64_t begin_ns);

  // Writes the output if all inputs are there. True: nothing is left to do.
  bool Complete();

  // Once complete: when the last rank began that gave needed input.
  int64_t last_begin_ns() const { return last_begin_ns_; }

  // Takes back what peers have not read.
  void Withdraw();

 private:
  std::string NameOf(int rank) const;
  uint32_t Readers() const;
  size_t InputBytes() const;
  size_t OutputBytes() const;
  bool Contributes() const;
  std::vector<int> Sources() const;
  bool HasInputs();
  void LookForDeadPeers();
  void Reduce();
  void Copy();
  void MarkOutput() const;

  const Operation operation_;
  std::string prefix_;
  std::vector<int> sources_;
  std::vector<std::unique_ptr<Message>> messages_;  // of the sources
  int misses_ = 0;
  int64_t last_begin_ns_ = 0;
  bool published_ = false;
  bool over_ = false;
};

// Numbers the calls now; what is returned is asked in stream order until all of
// them are over, or their communicator aborted.
OpenExchange StartExchanges(const std::vector<Operation>& operations);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_NCCL_EXCHANGE_H_

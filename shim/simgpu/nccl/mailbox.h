// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_SIMGPU_NCCL_MAILBOX_H_
#define DLTAP_SHIM_SIMGPU_NCCL_MAILBOX_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace dltap::simgpu {

// How ranks, in one process or several on one machine, exchange bytes: a
// message is a POSIX shared memory object which its sender fills and then flags
// as ready, and which the last of its readers removes. Names are unique by
// communicator, sequence number and rank, so nothing is locked.

// Publishes `bytes` of `data` for `readers` reads. False: no shared memory
// left.
bool Publish(const std::string& name, const void* data, size_t bytes,
             uint32_t readers);

// A message that somebody published; maps it, waiting until it is there.
class Message {
 public:
  // Gives up, with valid() false, when `aborted` becomes true.
  Message(const std::string& name, const std::atomic<bool>& aborted);
  ~Message();
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;

  bool valid() const { return header_ != nullptr; }
  const std::byte* data() const;
  size_t bytes() const;

 private:
  struct Header;
  friend bool Publish(const std::string&, const void*, size_t, uint32_t);

  std::string name_;
  Header* header_ = nullptr;
  size_t mapped_bytes_ = 0;
};

}  // namespace dltap::simgpu

#endif  // DLTAP_SHIM_SIMGPU_NCCL_MAILBOX_H_

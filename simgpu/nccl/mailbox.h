// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_NCCL_MAILBOX_H_
#define DLTAP_SIMGPU_NCCL_MAILBOX_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "simgpu/bytes/freshness.h"

namespace dltap::simgpu {

// How ranks, in one process or several on one machine, exchange bytes: a
// message is a POSIX shared memory object which its sender fills and then flags
// as ready, and which the last of its readers removes. Names are unique by
// communicator, sequence number and rank, so nothing is locked.

// Publishes `bytes` of `data` for `readers` reads, of a rank whose work began
// at begin_ns. False: no shared memory left.
bool Publish(const std::string& name, const void* data, size_t bytes,
             uint32_t readers, int64_t begin_ns = 0,
             Freshness freshness = Freshness::kFresh);

// Takes back a message that not all its readers have read.
void Withdraw(const std::string& name);

// Removes abandoned messages: those of a process that ended kAbandonedAfterS
// ago or longer, for instance in a crash.
constexpr int64_t kAbandonedAfterS = 600;
void SweepAbandoned();

// A published message, mapped.
class Message {
 public:
  // Null: it is not there yet.
  static std::unique_ptr<Message> Open(const std::string& name);

  ~Message();
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;

  const std::byte* data() const;
  size_t bytes() const;
  int64_t begin_ns() const;
  Freshness freshness() const;  // of the least fresh of its bytes

 private:
  struct Header;
  friend void SweepAbandoned();
  friend bool Publish(const std::string&, const void*, size_t, uint32_t,
                      int64_t, Freshness);

  Message(std::string name, Header* header, size_t mapped_bytes)
      : name_(std::move(name)), header_(header), mapped_bytes_(mapped_bytes) {}

  const std::string name_;
  Header* const header_;
  const size_t mapped_bytes_;
};

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_NCCL_MAILBOX_H_

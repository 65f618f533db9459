// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/nccl/mailbox.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

namespace dltap::simgpu {

struct Message::Header {
  std::atomic<uint32_t> ready;
  std::atomic<uint32_t> readers_left;
  uint64_t bytes;
};

namespace {

// A name as shm_open wants it.
std::string ObjectName(const std::string& name) { return "/dltapsim-" + name; }

// Waiting costs little while it is short and little CPU while it is long.
void Pause(int turn) {
  if (turn < 100) {
    sched_yield();
  } else {
    usleep(turn < 1000 ? 50 : 1000);
  }
}

}  // namespace

bool Publish(const std::string& name, const void* data, size_t bytes,
             uint32_t readers) {
  const std::string object = ObjectName(name);
  const int fd = shm_open(object.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600);
  if (fd < 0) return false;
  const size_t total = sizeof(Message::Header) + bytes;
  void* memory = MAP_FAILED;
  if (ftruncate(fd, static_cast<off_t>(total)) == 0) {
    memory = mmap(nullptr, total, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  }
  close(fd);
  if (memory == MAP_FAILED) {
    shm_unlink(object.c_str());
    return false;
  }
  auto* header = static_cast<Message::Header*>(memory);
  header->bytes = bytes;
  header->readers_left = readers;
  if (bytes > 0) std::memcpy(static_cast<void*>(header + 1), data, bytes);
  header->ready.store(1, std::memory_order_release);
  munmap(memory, total);
  return true;
}

Message::Message(const std::string& name, const std::atomic<bool>& aborted)
    : name_(ObjectName(name)) {
  for (int turn = 0; !aborted; ++turn) {
    const int fd = shm_open(name_.c_str(), O_RDWR, 0);
    struct stat status {};
    // Made, but not yet given its size or content: not there yet.
    if (fd >= 0 && fstat(fd, &status) == 0 &&
        status.st_size >= static_cast<off_t>(sizeof(Header))) {
      mapped_bytes_ = static_cast<size_t>(status.st_size);
      void* memory = mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE,
                          MAP_SHARED, fd, 0);
      close(fd);
      if (memory == MAP_FAILED) return;
      header_ = static_cast<Header*>(memory);
      while (header_->ready.load(std::memory_order_acquire) == 0) Pause(0);
      return;
    }
    if (fd >= 0) close(fd);
    Pause(turn);
  }
}

Message::~Message() {
  if (header_ == nullptr) return;
  const bool was_last = header_->readers_left.fetch_sub(1) == 1;
  munmap(header_, mapped_bytes_);
  if (was_last) shm_unlink(name_.c_str());
}

const std::byte* Message::data() const {
  return reinterpret_cast<const std::byte*>(header_ + 1);
}

size_t Message::bytes() const { return header_->bytes; }

}  // namespace dltap::simgpu

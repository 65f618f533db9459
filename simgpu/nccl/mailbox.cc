// SPDX-License-Identifier: Apache-2.0
#include "simgpu/nccl/mailbox.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "simgpu/base/other_process.h"

namespace dltap::simgpu {

struct Message::Header {
  std::atomic<uint32_t> ready;
  std::atomic<uint32_t> readers_left;
  uint64_t bytes;
  int64_t begin_ns;
  int32_t pid;  // of the sender
  Freshness freshness;
};

namespace {

constexpr char kPrefix[] = "dltapsim-";
// Where the C library keeps POSIX shared memory (shm_overview(7)).
constexpr char kFolder[] = "/dev/shm";

// A name as shm_open wants it.
std::string ObjectName(const std::string& name) {
  return std::string("/") + kPrefix + name;
}

}  // namespace

bool Publish(const std::string& name, const void* data, size_t bytes,
             uint32_t readers, int64_t begin_ns, Freshness freshness) {
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
  header->begin_ns = begin_ns;
  header->pid = getpid();
  header->freshness = freshness;
  header->readers_left = readers;
  if (bytes > 0) std::memcpy(static_cast<void*>(header + 1), data, bytes);
  header->ready.store(1, std::memory_order_release);
  munmap(memory, total);
  return true;
}

void Withdraw(const std::string& name) { shm_unlink(ObjectName(name).c_str()); }

void SweepAbandoned() {
  std::error_code error;
  const auto now = std::filesystem::file_time_type::clock::now();
  for (const auto& entry :
       std::filesystem::directory_iterator(kFolder, error)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(kPrefix)) continue;
    const auto written = entry.last_write_time(error);
    if (error || now - written < std::chrono::seconds(kAbandonedAfterS)) {
      continue;
    }
    Message::Header header{};
    std::ifstream file(entry.path(), std::ios::binary);
    if (file.read(reinterpret_cast<char*>(&header), sizeof header) &&
        HasEnded(header.pid)) {
      shm_unlink(("/" + name).c_str());
    }
  }
}

std::unique_ptr<Message> Message::Open(const std::string& name) {
  std::string object = ObjectName(name);
  const int fd = shm_open(object.c_str(), O_RDWR, 0);
  if (fd < 0) return nullptr;
  struct stat status {};
  void* memory = MAP_FAILED;
  size_t bytes = 0;
  // Made, but not yet given its size: not there yet.
  if (fstat(fd, &status) == 0 &&
      status.st_size >= static_cast<off_t>(sizeof(Header))) {
    bytes = static_cast<size_t>(status.st_size);
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  }
  close(fd);
  if (memory == MAP_FAILED) return nullptr;
  auto* header = static_cast<Header*>(memory);
  if (header->ready.load(std::memory_order_acquire) == 0) {
    munmap(memory, bytes);
    return nullptr;
  }
  return std::unique_ptr<Message>(
      new Message(std::move(object), header, bytes));
}

Message::~Message() {
  const bool was_last = header_->readers_left.fetch_sub(1) == 1;
  munmap(header_, mapped_bytes_);
  if (was_last) shm_unlink(name_.c_str());
}

const std::byte* Message::data() const {
  return reinterpret_cast<const std::byte*>(header_ + 1);
}

size_t Message::bytes() const { return header_->bytes; }

int64_t Message::begin_ns() const { return header_->begin_ns; }

Freshness Message::freshness() const { return header_->freshness; }

}  // namespace dltap::simgpu

// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BASE_HANDLE_H_
#define DLTAP_SIMGPU_BASE_HANDLE_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace dltap::simgpu {

// What stands first in every object whose address the client holds as a handle.
// Memory of handles is never given back, only reused for the same type, so that
// a destroyed handle can be told from a live one without a table.
struct Handle {
  explicit Handle(uint32_t type_tag) : tag(type_tag) {}
  uint32_t tag;  // 0: destroyed
};

// The object behind a client's handle; nullptr unless it is a live T. Junk that
// is not an address of readable memory crashes, as it does with CUDA.
template <typename T>
T* FromHandle(const void* handle) {
  if (handle == nullptr ||
      reinterpret_cast<uintptr_t>(handle) % alignof(T) != 0) {
    return nullptr;
  }
  auto* object = static_cast<Handle*>(const_cast<void*>(handle));
  return object->tag == T::kTag ? static_cast<T*>(object) : nullptr;
}

// Memory for ever, apart from the heap: a handle is never an address that the
// program has given back, so that two runs of one program can be compared by
// which addresses are the same. Thread-safe.
void* NewHandleMemory(size_t bytes, size_t alignment);

// Storage of one type of handle. Thread-safe.
template <typename T>
class HandlePool {
 public:
  template <typename... Args>
  static T* New(Args&&... args) {
    return new (Take()) T(std::forward<Args>(args)...);
  }

  static void Delete(T* object) {
    std::destroy_at(object);
    static_cast<Handle*>(object)->tag = 0;
    HandlePool& pool = Instance();
    const std::lock_guard lock(pool.mutex_);
    pool.free_.push_back(object);
  }

 private:
  // Destroyed handles wait in line, so that a stale one is noticed for long.
  static constexpr size_t kQuarantine = 64;

  static HandlePool& Instance() {
    static HandlePool* const pool = new HandlePool;
    return *pool;
  }

  static void* Take() {
    HandlePool& pool = Instance();
    const std::lock_guard lock(pool.mutex_);
    if (pool.free_.size() - pool.next_ <= kQuarantine) {
      return NewHandleMemory(sizeof(T), alignof(T));
    }
    void* storage = pool.free_[pool.next_++];
    if (pool.next_ == kQuarantine) {
      pool.free_.erase(pool.free_.begin(), pool.free_.begin() + kQuarantine);
      pool.next_ = 0;
    }
    return storage;
  }

  std::mutex mutex_;
  std::vector<void*> free_;
  size_t next_ = 0;  // of free_, the oldest first
};

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BASE_HANDLE_H_

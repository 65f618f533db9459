// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_WORKLOADS_CUDA_DEVICE_ARRAY_H_
#define DLTAP_TESTS_WORKLOADS_CUDA_DEVICE_ARRAY_H_

#include <utility>
#include <vector>

#include "tests/workloads/cuda/check.h"

namespace workloads {

// `size` elements of device memory, zeroed.
template <typename T>
class DeviceArray {
 public:
  DeviceArray() = default;
  explicit DeviceArray(size_t size) : size_(size) {
    if (size == 0) return;
    CHECK(cudaMalloc(&data_, size * sizeof(T)));
    CHECK(cudaMemset(data_, 0, size * sizeof(T)));
  }
  // The values stay where they are to the end: traces number addresses, and
  // whether one that was freed comes again depends on what other threads map.
  explicit DeviceArray(std::vector<T> values) : DeviceArray(values.size()) {
    static auto* const kept = new std::vector<std::vector<T>>;
    kept->push_back(std::move(values));
    CHECK(cudaMemcpy(data_, kept->back().data(), size_ * sizeof(T),
                     cudaMemcpyHostToDevice));
  }
  DeviceArray(DeviceArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~DeviceArray() { cudaFree(data_); }

  T* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
};

// The same numbers in every run, within +-scale.
template <typename T>
std::vector<T> SmallNumbers(size_t size, float scale) {
  std::vector<T> values(size);
  unsigned state = 12345;
  for (T& value : values) {
    state = state * 1664525u + 1013904223u;
    value = T(scale * (static_cast<float>(state >> 8) / 8388608.0f - 1.0f));
  }
  return values;
}

// Host memory that copies can read while the host goes on.
template <typename T>
class PinnedArray {
 public:
  explicit PinnedArray(const std::vector<T>& values) : size_(values.size()) {
    CHECK(cudaMallocHost(&data_, size_ * sizeof(T)));
    for (size_t i = 0; i < size_; ++i) data_[i] = values[i];
  }
  PinnedArray(const PinnedArray&) = delete;
  PinnedArray& operator=(const PinnedArray&) = delete;
  ~PinnedArray() { cudaFreeHost(data_); }

  T* data() const { return data_; }

  void CopyTo(const DeviceArray<T>& to, cudaStream_t stream) const {
    CHECK(cudaMemcpyAsync(to.data(), data_, size_ * sizeof(T),
                          cudaMemcpyHostToDevice, stream));
  }

 private:
  T* data_ = nullptr;
  size_t size_;
};

}  // namespace workloads

#endif  // DLTAP_TESTS_WORKLOADS_CUDA_DEVICE_ARRAY_H_

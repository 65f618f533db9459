// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_UNIT_SIMGPU_CUPTI_CLIENT_H_
#define DLTAP_TESTS_UNIT_SIMGPU_CUPTI_CLIENT_H_

#include <cupti.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

// A client of CUPTI's activity API that keeps a copy of every record.
namespace dltap::simgpu_test {

inline std::mutex g_mutex;
inline std::vector<std::vector<std::byte>> g_records;
inline std::vector<int> g_buffers;  // records in each, as they came
inline int g_requests = 0;
inline size_t g_buffer_bytes = 1 << 16;

inline void CUPTIAPI Request(uint8_t** buffer, size_t* bytes,
                             size_t* max_records) {
  const std::lock_guard lock(g_mutex);
  ++g_requests;
  *buffer = g_buffer_bytes == 0
                ? nullptr
                : static_cast<uint8_t*>(std::aligned_alloc(8, g_buffer_bytes));
  *bytes = g_buffer_bytes;
  *max_records = 0;
}

inline size_t SizeOf(const CUpti_Activity* record, const uint8_t* end) {
  CUpti_Activity* next = const_cast<CUpti_Activity*>(record);
  const auto* begin = reinterpret_cast<const uint8_t*>(record);
  const CUptiResult result = cuptiActivityGetNextRecord(
      const_cast<uint8_t*>(begin), end - begin, &next);
  return result == CUPTI_SUCCESS
             ? reinterpret_cast<const uint8_t*>(next) - begin
             : end - begin;
}

inline void CUPTIAPI Complete(CUcontext, uint32_t, uint8_t* buffer, size_t,
                              size_t valid) {
  const std::lock_guard lock(g_mutex);
  CUpti_Activity* record = nullptr;
  g_buffers.push_back(0);
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
    const auto* bytes = reinterpret_cast<const std::byte*>(record);
    g_records.emplace_back(bytes, bytes + SizeOf(record, buffer + valid));
    ++g_buffers.back();
  }
  std::free(buffer);
}

// The records of a kind, as the structure they must be.
template <typename Record>
std::vector<Record> Delivered(CUpti_ActivityKind kind) {
  const std::lock_guard lock(g_mutex);
  std::vector<Record> found;
  for (const auto& bytes : g_records) {
    CUpti_ActivityKind of;
    std::memcpy(&of, bytes.data(), sizeof of);
    if (of != kind) continue;
    EXPECT_EQ(bytes.size(), sizeof(Record));
    Record record{};
    std::memcpy(&record, bytes.data(), std::min(bytes.size(), sizeof record));
    found.push_back(record);
  }
  return found;
}

// Runs `body` in a process of its own with that variable, since the simulation
// reads its environment once. REQUIRES: this process has not called it.
inline void InProcessWith(const char* variable, const char* value,
                          const std::function<void()>& body) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(60);  // one that hangs fails
    setenv(variable, value, 1);
    body();
    _exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace dltap::simgpu_test

#endif  // DLTAP_TESTS_UNIT_SIMGPU_CUPTI_CLIENT_H_

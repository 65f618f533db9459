// SPDX-License-Identifier: Apache-2.0
// A client of CUPTI whose lock is held around each of its calls but the flush,
// and taken in its callbacks: CUPTI itself calls those in a flush, or on
// threads of others. It comes and goes under load, and prints how many memsets
// it was told of in each of its spans.
#include <cupti.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "tests/integration/endtoend/programs/device_work.h"

namespace {

constexpr int kMemsets = 50;
constexpr size_t kBytes = size_t{1} << 20;

std::mutex g_mutex;
std::atomic<int> g_memsets{0};

void Requested(uint8_t** buffer, size_t* size, size_t* max_records) {
  const std::lock_guard lock(g_mutex);
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(8, kBytes));
  *size = kBytes;
  *max_records = 0;
}

void Completed(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  const std::lock_guard lock(g_mutex);
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
    if (record->kind == CUPTI_ACTIVITY_KIND_MEMSET) ++g_memsets;
  }
  std::free(buffer);
}

template <typename Call>
void Locked(const char* what, Call call) {
  const std::lock_guard lock(g_mutex);
  corners::Check(call(), what);
}

void Span(corners::DeviceWork& work) {
  g_memsets = 0;
  Locked("register",
         [] { return cuptiActivityRegisterCallbacks(Requested, Completed); });
  Locked("enable",
         [] { return cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET); });
  work.Memsets(kMemsets);
  corners::DeviceWork::Wait();
  Locked("disable",
         [] { return cuptiActivityDisable(CUPTI_ACTIVITY_KIND_MEMSET); });
  corners::Check(cuptiActivityFlushAll(0), "flush");
  std::printf("%d\n", g_memsets.load());
}

}  // namespace

int main() {
  corners::DeviceWork work;
  std::atomic<bool> ends{false};
  std::atomic<int> batches{0};
  std::thread load([&] {
    corners::DeviceWork own;
    while (!ends) {
      own.Products(20);
      corners::DeviceWork::Wait();
      ++batches;
    }
  });
  for (int i = 0; i < 20; ++i) {
    work.Memsets(kMemsets);
    corners::DeviceWork::Wait();
    // Time for others to take CUPTI back, and the load is there.
    for (const int until = batches + 5; batches < until;) {
      std::this_thread::yield();
    }
    Span(work);
  }
  ends = true;
  load.join();
  return 0;
}

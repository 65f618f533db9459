// SPDX-License-Identifier: Apache-2.0
// cupti_facts CONFIGURATION [WHEN]: what CUPTI delivers and what it costs the
// launching thread, for one order of switching it on; a line of JSON.
//
// CONFIGURATION is a list of steps, done in order after the first 100 launches
// (or before the first CUDA call: `early`; after cuInit: `initialized`; with a
// context, before the first launch: `context`):
//   k  kernel, memcpy, memset kinds        x  external correlation kind
//   r  runtime kind     d  driver kind     -r, -d: switched off again
//   R  launches of the runtime by callback id, D: of the driver
//   -R, -D: all calls but launches switched off by id
//   s  subscribe        t  system thread ids
//   c  callbacks at launches of the runtime, C: of the driver (after s)
//   z  promise zeroed buffers (512 KiB; else 8 MiB, not zeroed)
//   1  one buffer for all threads          l  limits of device memory
#include <cuda.h>
#include <cuda_runtime.h>
#include <cupti.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace {

constexpr int kLaunches = 20'000;
constexpr uint32_t kRuntimeIds = 600;
constexpr uint32_t kDriverIds = 900;
constexpr uint32_t kRuntimeLaunches[] = {41, 51, 211, 430, 505};
constexpr uint32_t kDriverLaunches[] = {277, 305, 306, 307, 652};

size_t buffer_bytes = 8 << 20;
bool zeroed = false;
int buffers = 0;
std::map<std::string, int> records;
std::map<std::string, int> refusals;
int joined = 0;  // kernels whose correlation id an external record names
std::map<uint32_t, bool> named;
std::vector<uint32_t> kernels;
std::vector<uint32_t> called[2];  // correlation ids of callbacks, by domain

__global__ void Empty() {}

void CUPTIAPI Requested(uint8_t** buffer, size_t* size, size_t* most) {
  *buffer = static_cast<uint8_t*>(aligned_alloc(8, buffer_bytes));
  if (zeroed) memset(*buffer, 0, buffer_bytes);
  *size = buffer_bytes;
  *most = 0;
  ++buffers;
}

void CUPTIAPI Completed(CUcontext, uint32_t, uint8_t* buffer, size_t,
                        size_t valid) {
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
    switch (record->kind) {
      case CUPTI_ACTIVITY_KIND_RUNTIME:
      case CUPTI_ACTIVITY_KIND_DRIVER: {
        const auto* api = reinterpret_cast<CUpti_ActivityAPI*>(record);
        ++records[(record->kind == CUPTI_ACTIVITY_KIND_DRIVER ? "driver "
                                                              : "runtime ") +
                  std::to_string(api->cbid)];
        break;
      }
      case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        ++records["kernel"];
        kernels.push_back(
            reinterpret_cast<CUpti_ActivityKernel9*>(record)->correlationId);
        break;
      case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
        ++records["external"];
        named[reinterpret_cast<CUpti_ActivityExternalCorrelation*>(record)
                  ->correlationId] = true;
        break;
      default: ++records["kind " + std::to_string(record->kind)];
    }
  }
  free(buffer);
}

void Note(const char* step, CUptiResult result) {
  if (result != CUPTI_SUCCESS) {
    ++refusals[step + (" " + std::to_string(result))];
  }
}

bool IsLaunch(const uint32_t* ids, size_t count, uint32_t id) {
  return std::find(ids, ids + count, id) != ids + count;
}

void ById(bool runtime, bool off) {
  const uint32_t* launches = runtime ? kRuntimeLaunches : kDriverLaunches;
  for (uint32_t id = 1; id < (runtime ? kRuntimeIds : kDriverIds); ++id) {
    if (IsLaunch(launches, 5, id) == off) continue;
    Note(runtime ? "runtime id" : "driver id",
         runtime ? cuptiActivityEnableRuntimeApi(id, !off)
                 : cuptiActivityEnableDriverApi(id, !off));
  }
}

void Limit(CUpti_ActivityAttribute attribute, size_t value, size_t bytes) {
  Note("attribute", cuptiActivitySetAttribute(attribute, &bytes, &value));
}

void CUPTIAPI Called(void*, CUpti_CallbackDomain domain, CUpti_CallbackId,
                     const void* data) {
  const auto* call = static_cast<const CUpti_CallbackData*>(data);
  if (call->callbackSite != CUPTI_API_ENTER) return;
  called[domain == CUPTI_CB_DOMAIN_DRIVER_API].push_back(call->correlationId);
}

void CallbacksOn(CUpti_SubscriberHandle subscriber, bool runtime) {
  for (const uint32_t id : runtime ? kRuntimeLaunches : kDriverLaunches) {
    Note("callback", cuptiEnableCallback(1, subscriber,
                                         runtime ? CUPTI_CB_DOMAIN_RUNTIME_API
                                                 : CUPTI_CB_DOMAIN_DRIVER_API,
                                         id));
  }
}

void Step(char step, bool off) {
  const auto kind = [off](CUpti_ActivityKind which) {
    Note("kind",
         off ? cuptiActivityDisable(which) : cuptiActivityEnable(which));
  };
  static CUpti_SubscriberHandle subscriber;
  switch (step) {
    case 'k':
      kind(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
      kind(CUPTI_ACTIVITY_KIND_MEMCPY);
      kind(CUPTI_ACTIVITY_KIND_MEMSET);
      break;
    case 'x': kind(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION); break;
    case 'r': kind(CUPTI_ACTIVITY_KIND_RUNTIME); break;
    case 'd': kind(CUPTI_ACTIVITY_KIND_DRIVER); break;
    case 'R': ById(true, off); break;
    case 'D': ById(false, off); break;
    case 's':
      Note("subscribe", cuptiSubscribe(&subscriber, Called, nullptr));
      break;
    case 'c': CallbacksOn(subscriber, true); break;
    case 'C': CallbacksOn(subscriber, false); break;
    case 't':
      Note("thread ids",
           cuptiSetThreadIdType(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM));
      break;
    case 'z':
      Limit(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, 1, 1);
      zeroed = true;
      buffer_bytes = 512 << 10;
      break;
    case '1':
      Limit(CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, 0, 1);
      break;
    case 'l':
      Limit(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE, 1 << 20, 8);
      Limit(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT, 32, 8);
      Limit(CUPTI_ACTIVITY_ATTR_PROFILING_SEMAPHORE_POOL_LIMIT, 32, 8);
      break;
    default: exit(2);
  }
}

void SwitchOn(const char* steps) {
  if (*steps == '0') return;
  Note("register", cuptiActivityRegisterCallbacks(Requested, Completed));
  for (bool off = false; *steps != '\0'; ++steps) {
    if (*steps == '-') {
      off = true;
    } else {
      Step(*steps, off);
      off = false;
    }
  }
}

double Nanoseconds() {
  return std::chrono::duration<double, std::nano>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// What `work` takes on this thread; the device is idle again each 500 times.
template <typename Work>
void Measure(const char* name, Work work) {
  std::vector<double> times;
  for (int i = 0; i < kLaunches; ++i) {
    const double begin = Nanoseconds();
    work();
    times.push_back(Nanoseconds() - begin);
    if (i % 500 == 499) cudaDeviceSynchronize();
  }
  std::sort(times.begin(), times.end());
  printf(", \"%s\": {\"median_ns\": %.0f, \"p99_ns\": %.0f, \"max_ns\": %.0f}",
         name, times[kLaunches / 2], times[kLaunches - kLaunches / 100],
         times.back());
}

void Print(const char* name, const std::map<std::string, int>& counts) {
  printf(", \"%s\": {", name);
  const char* comma = "";
  for (const auto& [key, count] : counts) {
    printf("%s\"%s\": %d", comma, key.c_str(), count);
    comma = ", ";
  }
  printf("}");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::string when = argc > 2 ? argv[2] : "late";
  if (when == "early") SwitchOn(argv[1]);
  int count = 0;
  cudaGetDeviceCount(&count);
  if (when == "initialized") SwitchOn(argv[1]);
  cudaFree(nullptr);
  if (when == "context") SwitchOn(argv[1]);
  for (int i = 0; i < 100; ++i) Empty<<<1, 1>>>();
  cudaDeviceSynchronize();
  if (when == "late") SwitchOn(argv[1]);
  cudaFunction_t function = nullptr;
  if (cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(Empty)) !=
      cudaSuccess)
    return 1;
  printf("{\"configuration\": \"%s\", \"when\": \"%s\"", argv[1], when.c_str());
  Measure("launch", [] { Empty<<<1, 1>>>(); });
  Measure("launch_with_id", [] {
    uint64_t id = 1;
    cuptiActivityPushExternalCorrelationId(
        CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM2, id);
    Empty<<<1, 1>>>();
    cuptiActivityPopExternalCorrelationId(
        CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM2, &id);
  });
  Measure("driver_launch", [&] {
    cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr);
  });
  Measure("get_device", [] {
    int device;
    cudaGetDevice(&device);
  });
  Measure("last_error", [] { cudaGetLastError(); });
  cudaDeviceSynchronize();
  cuptiActivityFlushAll(0);
  for (const uint32_t id : kernels) joined += named.count(id);
  for (auto& ids : called) {
    std::sort(ids.begin(), ids.end());
    const int matched =
        std::count_if(kernels.begin(), kernels.end(), [&ids](uint32_t id) {
          return std::binary_search(ids.begin(), ids.end(), id);
        });
    printf(", \"%s_callbacks\": %zu, \"%s_matched\": %d",
           &ids == called ? "runtime" : "driver", ids.size(),
           &ids == called ? "runtime" : "driver", matched);
  }
  size_t dropped = 0;
  cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped);
  Print("records", records);
  Print("refused", refusals);
  printf(", \"joined\": %d, \"dropped\": %zu, \"buffers\": %d}\n", joined,
         dropped, buffers);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_UNIT_SIMGPU_KERNEL_LOG_H_
#define DLTAP_TESTS_UNIT_SIMGPU_KERNEL_LOG_H_

#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "simgpu/base/activity.h"

namespace dltap::simgpu {

struct LoggedKernel {
  std::string name;
  int64_t ns;
  int64_t blocks;
};

// The kernels that the simulated libraries launched since the last Take(). The
// test's process simulates an H100 whose waits cost no time.
class KernelLog : public ActivitySink {
 public:
  static KernelLog& Get() {
    static KernelLog& log = *new KernelLog;
    return log;
  }

  std::vector<LoggedKernel> Take() { return std::exchange(kernels_, {}); }

  void OnKernel(const KernelActivityRecord& kernel) override {
    kernels_.push_back({kernel.name,
                        kernel.place.end_ns - kernel.place.begin_ns,
                        kernel.grid.count()});
  }
  void OnApiEnter(const ApiActivity&) override {}
  void OnApiExit(const ApiActivity&) override {}
  void OnCopy(const CopyActivityRecord&) override {}
  void OnMemset(const MemsetActivityRecord&) override {}
  void OnSynchronization(const SynchronizationActivityRecord&) override {}
  void OnEvent(const EventActivityRecord&) override {}
  void OnMemory(const MemoryActivityRecord&) override {}
  void OnPool(const PoolActivityRecord&) override {}
  void OnResource(const ResourceActivityRecord&) override {}

 private:
  KernelLog() {
    setenv("DLTAP_SIM_GPU", "h100-sxm", 1);
    setenv("DLTAP_SIM_CLOCK", "skip", 1);
    setenv("DLTAP_SIM_QUIET", "1", 1);
    SetActivitySink(this);
    SetActivityMask(kKernelActivity);
  }

  std::vector<LoggedKernel> kernels_;
};

inline int64_t SumOfNs(const std::vector<LoggedKernel>& kernels) {
  int64_t sum = 0;
  for (const LoggedKernel& kernel : kernels) sum += kernel.ns;
  return sum;
}

}  // namespace dltap::simgpu

#endif  // DLTAP_TESTS_UNIT_SIMGPU_KERNEL_LOG_H_

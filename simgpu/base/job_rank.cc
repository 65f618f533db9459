// SPDX-License-Identifier: Apache-2.0
#include "simgpu/base/job_rank.h"

#include <array>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "shim/specs/launchers.h"
#include "simgpu/base/clock.h"
#include "simgpu/base/visible_devices.h"

namespace dltap::simgpu {
namespace {

constexpr int kDevices = 16;  // as kMaxDevices of thread_state.h

// -1: not set, or no number.
int NumberOf(const char* variable) {
  const char* text = variable != nullptr ? std::getenv(variable) : nullptr;
  if (text == nullptr) return -1;
  int number = -1;
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, number);
  return error == std::errc() && stop == end ? number : -1;
}

struct Job {
  int rank = -1;      // of the process; -1: unknown
  int processes = 1;  // that the launcher started, as far as it says
  std::array<std::atomic<int>, kDevices> of_device;
  std::atomic<int64_t> start_ns{ClockStart()};

  Job() {
    for (auto& known : of_device) known = -1;
    for (const specs::Launcher& launcher : specs::kLaunchers) {
      rank = NumberOf(launcher.rank);
      if (rank < 0) continue;
      processes = NumberOf(launcher.ranks);
      // A rank without a size: there is more than one.
      if (processes == 1) rank = -1;
      return;
    }
  }
};

Job& TheJob() {
  // Leaked on purpose: entry points may run after static destructors.
  static Job* const job = new Job;
  return *job;
}

bool IsDevice(int device) { return device >= 0 && device < kDevices; }

}  // namespace

int RankOf(int device) {
  const Job& job = TheJob();
  const int known = IsDevice(device) ? job.of_device[device].load() : -1;
  if (known >= 0) return known;
  return job.rank >= 0 ? job.rank : NumberOfDevice(device);
}

void LearnRank(int device, int rank, int ranks) {
  Job& job = TheJob();
  const bool counts_processes = job.rank >= 0 && job.processes < 1;
  if (!IsDevice(device) || counts_processes || ranks <= job.processes) return;
  int unknown = -1;
  job.of_device[device].compare_exchange_strong(unknown, rank);
}

int64_t JobStart() { return TheJob().start_ns.load(); }

void LearnJobStart(int64_t start_ns) {
  std::atomic<int64_t>& earliest = TheJob().start_ns;
  int64_t seen = earliest.load();
  while (start_ns < seen && !earliest.compare_exchange_weak(seen, start_ns)) {
  }
}

}  // namespace dltap::simgpu

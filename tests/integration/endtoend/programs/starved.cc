// SPDX-License-Identifier: Apache-2.0
// Device work, and an end at which a thread named `dltap`, if there is one,
// gets next to no CPU time for some seconds, as on a busy machine.
//   starved SECONDS
#include <dirent.h>
#include <sched.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include "tests/integration/endtoend/programs/device_work.h"

namespace {

constexpr int kSpinners = 12;

// 0: there is none.
pid_t ThreadNamed(const std::string& wanted) {
  DIR* tasks = opendir("/proc/self/task");
  pid_t found = 0;
  while (const dirent* task = readdir(tasks)) {
    const std::string tid = task->d_name;
    std::string name;
    std::getline(std::ifstream("/proc/self/task/" + tid + "/comm"), name);
    if (name == wanted) found = std::stoi(tid);
  }
  closedir(tasks);
  return found;
}

// It has the least weight on a CPU that others want, too.
void Starve(pid_t tid, std::chrono::seconds time) {
  cpu_set_t all, one;
  sched_getaffinity(0, sizeof(all), &all);
  int first = 0;
  while (!CPU_ISSET(first, &all)) ++first;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  const auto end = std::chrono::steady_clock::now() + time;
  for (int i = 0; i < kSpinners; ++i) {
    std::thread([one, end] {
      sched_setaffinity(0, sizeof(one), &one);
      while (std::chrono::steady_clock::now() < end) {
      }
    }).detach();
  }
  const sched_param none = {};
  if (tid == 0) return;
  sched_setscheduler(tid, SCHED_IDLE, &none);
  sched_setaffinity(tid, sizeof(one), &one);
}

}  // namespace

int main(int argc, char** argv) {
  auto* work = new corners::DeviceWork;
  work->Memsets(100);
  work->Products(100);
  Starve(ThreadNamed("dltap"),
         std::chrono::seconds(argc > 1 ? std::atoi(argv[1]) : 1));
  work->Memsets(100);
  corners::DeviceWork::Wait();
  return 0;
}

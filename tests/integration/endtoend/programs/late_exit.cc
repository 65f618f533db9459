// SPDX-License-Identifier: Apache-2.0
// Device work in an exit handler that runs after the driver's own, which is
// registered later and on a real GPU refuses it; and a while for whoever still
// runs in the process.
//   late_exit [thread]: with `thread`, one goes on working all the while.
#include <unistd.h>

#include <thread>

#include "tests/integration/endtoend/programs/device_work.h"

namespace {

corners::DeviceWork* g_work = nullptr;

void WorkLate() {
  const bool works = g_work->TryMemset();
  if (works) {
    g_work->Memsets(10);
    g_work->Products(10);
  }
  usleep(1'300'000);
  if (works) g_work->Products(10);
  std::puts(works ? "late" : "late, refused");
}

}  // namespace

int main(int argc, char**) {
  std::atexit(WorkLate);
  g_work = new corners::DeviceWork;
  g_work->Memsets(100);
  g_work->Products(100);
  corners::DeviceWork::Wait();
  if (argc > 1) {
    auto* work = new corners::DeviceWork;
    std::thread([work] {
      while (work->TryMemset()) usleep(100);
    }).detach();
  }
  return 0;
}

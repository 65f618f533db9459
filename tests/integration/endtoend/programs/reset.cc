// SPDX-License-Identifier: Apache-2.0
// Device work, then the context goes, and device work again; ten times.
#include "tests/integration/endtoend/programs/device_work.h"

int main() {
  for (int i = 0; i < 10; ++i) {
    corners::DeviceWork work;
    work.Memsets(50);
    work.Products(50);
    corners::DeviceWork::Wait();
    work.Close();
    corners::Check(cudaDeviceReset(), "cudaDeviceReset");
  }
  return 0;
}

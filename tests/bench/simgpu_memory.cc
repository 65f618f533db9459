// SPDX-License-Identifier: Apache-2.0
// Resident memory of a program that trains a model of 7 billion parameters on
// the simulated GPU: FP32 weights and gradients, filled, copied on the device
// and used by kernels, with a batch from the host in each step.
#include <cuda_runtime_api.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tests/unit/simgpu/kernels.h"

namespace {

constexpr size_t kParameters = 7'000'000'000;
constexpr size_t kLayers = 32;
constexpr size_t kLayerBytes = kParameters * sizeof(float) / kLayers;
constexpr size_t kBatchBytes = 1 << 20;
constexpr int kSteps = 10;

void Check(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  std::printf("%s: %s\n", what, cudaGetErrorString(result));
  std::exit(1);
}

double PeakMib() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

std::vector<float*> Layers() {
  std::vector<float*> layers(kLayers);
  for (float*& layer : layers) {
    Check(cudaMalloc(reinterpret_cast<void**>(&layer), kLayerBytes),
          "cudaMalloc");
    Check(cudaMemset(layer, 0, kLayerBytes), "cudaMemset");
  }
  return layers;
}

}  // namespace

int main() {
  Check(cudaFree(nullptr), "start");
  const double before_mib = PeakMib();
  const std::vector<float*> weights = Layers();
  const std::vector<float*> gradients = Layers();
  const std::vector<char> batch(kBatchBytes, 1);
  for (int step = 0; step < kSteps; ++step) {
    Check(cudaMemcpy(weights[0], batch.data(), kBatchBytes,
                     cudaMemcpyHostToDevice),
          "upload");
    for (size_t i = 0; i < kLayers; ++i) {
      LaunchScale(weights[i], 1 << 20, nullptr);
      Check(cudaMemcpyAsync(gradients[i], weights[i], kLayerBytes,
                            cudaMemcpyDeviceToDevice, nullptr),
            "copy");
    }
  }
  Check(cudaDeviceSynchronize(), "end");
  const double used_mib = PeakMib() - before_mib;
  const double device_mib = 2.0 * kLayers * kLayerBytes / (1 << 20);
  std::printf(
      "%.0f MiB of device memory, %.0f MiB resident more than at the start: "
      "1/%.0f\n",
      device_mib, used_mib, device_mib / used_mib);
}

// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cublas/gemm_kernels.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "opmodel/cost.h"
#include "opmodel/streaming_time.h"
#include "simgpu/cublas/gemm_names.h"

namespace dltap::simgpu {
namespace {

using opmodel::Dim;
using opmodel::GpuSpec;
using opmodel::Operation;

constexpr char kSplitKReduction[] =
    "void splitKreduce_kernel<32, 16, int, float, float, float, float, true, "
    "false, false>(cublasSplitKParams<float>, float const*, float const*, "
    "float*, float const*, float const*, float const*, float const*, float*, "
    "void*, long, float*, int*)";

struct Key {
  Operation op;
  const GpuSpec* gpu;
  friend bool operator==(const Key& a, const Key& b) {
    return a.gpu == b.gpu && a.op.storage == b.op.storage &&
           a.op.math == b.op.math && a.op.dims == b.op.dims;
  }
};

struct KeyHash {
  size_t operator()(const Key& key) const {
    uint64_t hash = reinterpret_cast<uintptr_t>(key.gpu) ^
                    (static_cast<uint64_t>(key.op.math) << 8) ^
                    static_cast<uint64_t>(key.op.storage);
    for (const int64_t dim : key.op.dims) {
      hash = (hash ^ static_cast<uint64_t>(dim)) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 29;
    }
    return hash;
  }
};

struct Cache {
  std::shared_mutex mutex;
  std::unordered_map<Key, GemmLaunch, KeyHash> launches;
};

Cache& TheCache() {
  static auto* const cache = new Cache;
  return *cache;
}

uint32_t Blocks(int64_t size, int tile) {
  return static_cast<uint32_t>(std::max<int64_t>(1, (size + tile - 1) / tile));
}

int64_t WholeNs(double ns) { return std::max<int64_t>(1, std::llround(ns)); }

// Partial sums must fit into the library's workspace (32 MiB on sm_90, by the
// documentation of cublasSetWorkspace). Beyond it the kernel balances its work
// over the SMs by itself: one kernel, in the time that the model gives.
opmodel::GemmPlan WithinWorkspace(opmodel::GemmPlan plan) {
  constexpr double kWorkspaceBytes = 32 << 20;
  if (plan.workspace_bytes > kWorkspaceBytes) plan.split_k = 1;
  return plan;
}

// An empty product still launches: the vendor scales C by beta.
GemmLaunch EmptyLaunch() {
  return {
      .product = {.name = "void scal_kernel<float, float, 1, true, 6, 5, 5, "
                          "3>(cublasTransposeParams<float>, float const*, "
                          "float*, float const*)",
                  .effect = {}},
      .reduction = {.name = nullptr, .effect = {}}};
}

}  // namespace

GemmLaunch GemmLaunchOf(const Operation& op, const opmodel::GemmPlan& plan,
                        const GpuSpec& gpu) {
  const int64_t batch = std::max<int64_t>(1, op[Dim::kBatch]);
  GemmLaunch launch{
      .product = {.name = InternName(GemmKernelName(op, plan, gpu).c_str()),
                  .grid = {Blocks(op[Dim::kM], plan.tile_m),
                           Blocks(op[Dim::kN], plan.tile_n),
                           static_cast<uint32_t>(batch * plan.split_k)},
                  .block = {plan.tile_m >= 128 ? 384u : 128u, 1, 1},
                  .dynamic_shared_bytes = static_cast<uint32_t>(
                      (plan.tile_m + plan.tile_n) * 64 * 4),
                  .registers_per_thread = 168,
                  .duration_ns = WholeNs(plan.time.ns),
                  .effect = {}},
      .reduction = {.name = nullptr, .effect = {}}};
  if (plan.split_k <= 1) return launch;
  const double reduction_ns = std::min(
      opmodel::StreamingTime(plan.workspace_bytes, gpu).ns, plan.time.ns / 3);
  launch.product.duration_ns = WholeNs(plan.time.ns - reduction_ns);
  launch.reduction = {.name = kSplitKReduction,
                      .grid = {Blocks(op[Dim::kM], 32), Blocks(op[Dim::kN], 16),
                               static_cast<uint32_t>(batch)},
                      .block = {32, 16, 1},
                      .registers_per_thread = 40,
                      .duration_ns = WholeNs(reduction_ns),
                      .effect = {}};
  return launch;
}

const GemmLaunch& GemmLaunchOf(const Operation& op, const GpuSpec& gpu) {
  Cache& cache = TheCache();
  const Key key{op, &gpu};
  {
    const std::shared_lock lock(cache.mutex);
    if (const auto found = cache.launches.find(key);
        found != cache.launches.end()) {
      return found->second;
    }
  }
  GemmLaunch launch = EmptyLaunch();
  if (opmodel::CostOf(op)) {
    launch = GemmLaunchOf(op,
                          WithinWorkspace(opmodel::BestGemmPlan(
                              opmodel::GemmShapeOf(op, gpu), gpu)),
                          gpu);
  }
  const std::lock_guard lock(cache.mutex);
  return cache.launches.try_emplace(key, std::move(launch)).first->second;
}

Error LaunchGemm(void* stream, const GemmLaunch& launch) {
  const Error error = LaunchLibraryKernel(stream, launch.product);
  if (error != Error::kSuccess || launch.reduction.name == nullptr) {
    return error;
  }
  return LaunchLibraryKernel(stream, launch.reduction);
}

}  // namespace dltap::simgpu

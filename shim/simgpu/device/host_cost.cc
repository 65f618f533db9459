// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/device/host_cost.h"

namespace dltap::simgpu {
namespace {

struct CostRule {
  std::string_view part;  // of the name
  uint32_t cost_ns;
};

constexpr uint32_t kOtherCostNs = 100;

// Orders of magnitude on a current server CPU. The first rule that matches
// counts; what matters is that two runs spend the same. So what only asks is
// free: a background thread of a tool may ask at any moment. What a program
// calls until the GPU has got somewhere must cost, or time would stand still.
constexpr CostRule kRules[] = {
    {"EventQuery", kOtherCostNs},
    {"StreamQuery", kOtherCostNs},
    {"GetAsyncError", kOtherCostNs},
    {"GetHeuristic", 4'000},
    {"Get", 0},
    {"TotalMem", 0},
    {"GraphLaunch", 6'000},
    {"GraphInstantiate", 50'000},
    {"Launch", 2'500},
    {"Memcpy", 3'000},
    {"Memset", 2'500},
    {"Malloc", 10'000},
    {"MemAlloc", 10'000},
    {"Free", 5'000},
    {"ModuleLoad", 50'000},
    {"LibraryLoad", 50'000},
    {"EventRecord", 1'000},
    {"StreamWaitEvent", 700},
    {"StreamCreate", 5'000},
    {"Synchronize", 1'000},
    {"gemm", 4'000},
    {"Gemm", 4'000},
    {"Matmul", 4'000},
    {"Execute", 5'000},
    {"Convolution", 5'000},
    {"RNN", 10'000},
    {"AllReduce", 6'000},
    {"AllGather", 6'000},
    {"ReduceScatter", 6'000},
    {"Register", 0},
};

}  // namespace

uint32_t HostCostOf(std::string_view name) {
  if (name.starts_with("cupti")) return 0;  // tools, not the program
  for (const CostRule& rule : kRules) {
    if (name.find(rule.part) != std::string_view::npos) return rule.cost_ns;
  }
  return kOtherCostNs;
}

}  // namespace dltap::simgpu

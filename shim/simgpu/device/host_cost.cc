// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/device/host_cost.h"

namespace dltap::simgpu {
namespace {

struct CostRule {
  std::string_view part;  // of the name
  uint32_t cost_ns;
};

// Orders of magnitude on a current server CPU. The first rule that matches
// counts; what matters is that two runs spend the same.
constexpr CostRule kRules[] = {
    {"GraphLaunch", 6'000},   {"GraphInstantiate", 50'000},
    {"Launch", 2'500},        {"Memcpy", 3'000},
    {"Memset", 2'500},        {"Malloc", 10'000},
    {"MemAlloc", 10'000},     {"Free", 5'000},
    {"ModuleLoad", 50'000},   {"LibraryLoad", 50'000},
    {"EventRecord", 1'000},   {"StreamWaitEvent", 700},
    {"StreamCreate", 5'000},  {"Synchronize", 1'000},
    {"gemm", 4'000},          {"Gemm", 4'000},
    {"Matmul", 4'000},        {"Execute", 5'000},
    {"Convolution", 5'000},   {"RNN", 10'000},
    {"AllReduce", 6'000},     {"AllGather", 6'000},
    {"ReduceScatter", 6'000}, {"Register", 0},
};
constexpr uint32_t kQueryCostNs = 100;

}  // namespace

uint32_t HostCostOf(std::string_view name) {
  for (const CostRule& rule : kRules) {
    if (name.find(rule.part) != std::string_view::npos) return rule.cost_ns;
  }
  return kQueryCostNs;
}

}  // namespace dltap::simgpu

// SPDX-License-Identifier: Apache-2.0
#include "simgpu/base/host_cost.h"

namespace dltap::simgpu {
namespace {

// Orders of magnitude on a current server CPU; what matters is that two runs
// spend the same. Where they come from: the traces that PyTorch issue 99615
// prints (a launch under tracing 4.0 us, cudaGetLastError 0.1 us), NVIDIA's
// notes on fast device queries (attributes are cached, properties and memory
// information go to the driver) and on constant-time graph launch (some us,
// whatever the graph holds). The rest is in proportion.
constexpr uint32_t kFree = 0;
constexpr uint32_t kCheapNs = kCheapCallNs;
constexpr uint32_t kQueueNs = 1'000;        // appends a marker to a stream
constexpr uint32_t kLaunchNs = 2'500;       // appends work to a stream
constexpr uint32_t kLibraryCallNs = 4'000;  // decides, then launches
constexpr uint32_t kAllocationNs = 10'000;
constexpr uint32_t kDriverNs = 20'000;  // asks the kernel-mode driver
constexpr uint32_t kPinningNs = 50'000;
constexpr uint32_t kCodeNs = 50'000;  // loads code, builds a graph
constexpr uint32_t kHandleNs = 1'000'000;
constexpr uint32_t kCompilationNs = 20'000'000;
constexpr uint32_t kCommunicatorNs = 100'000'000;

struct CostRule {
  std::string_view library;  // the name begins with it
  std::string_view part;     // and holds this, not at its end if `goes_on`
  uint32_t cost_ns;
  bool goes_on = false;
};

// The first rule that matches counts. Queries of what the process knows are
// free: a tool's background thread may ask at any moment, and time would depend
// on it. Polls must cost, or time would stand still (of a thread that only
// looks on they do not, api_scope.cc); so must calls that are slow on a real
// system.
constexpr CostRule kRules[] = {
    {"cupti", "", kFree},             // tools, not the program
    {"nvml", "", kFree},              // a monitor's thread
    {"__cudaLaunch", "", kLaunchNs},  // what nvcc 13 emits
    {"__cuda", "", kFree},
    // Polls.
    {"", "EventQuery", kCheapNs},
    {"", "StreamQuery", kCheapNs},
    {"", "GetAsyncError", kCheapNs},
    // Getters that work.
    {"cudnnGetConvolution", "Algorithm_v7", kDriverNs},
    {"", "GetHeuristic", kLibraryCallNs},
    {"", "MemGetInfo", kDriverNs},
    {"", "GetDeviceProperties", kDriverNs},
    {"", "IpcGet", kDriverNs},
    {"", "IpcOpen", kPinningNs},
    {"", "ModuleGetFunction", kLibraryCallNs},
    {"", "LibraryGetKernel", kLibraryCallNs},
    {"nccl", "GetUniqueId", kHandleNs},
    {"", "Get", kFree},
    {"", "TotalMem", kFree},
    // Descriptors name the work that they describe.
    {"cudnn", "Descriptor", kCheapNs},
    {"cudnnBackend", "Attribute", kCheapNs},
    {"cudnnBackend", "Finalize", kLibraryCallNs},
    {"cublasLt", "Desc", kCheapNs},
    {"cublasLt", "Layout", kCheapNs},
    {"cublasLt", "Preference", kCheapNs},
    // PyTorch makes these anew for each call.
    {"cusolver", "Params", kCheapNs},
    {"cusolver", "Info", kCheapNs},
    {"cusparse", "CreateIdentity", kLaunchNs},
    {"cusparse", "Create", kCheapNs, true},  // matrices, vectors
    // Handles, code, communicators.
    {"cublas", "Create", kHandleNs},
    {"cudnnCreate", "", kHandleNs},
    {"cusolver", "Create", kHandleNs},
    {"cusparse", "Create", kHandleNs},
    {"nvrtc", "CompileProgram", kCompilationNs},
    {"nccl", "CommInit", kCommunicatorNs},
    {"nccl", "CommSplit", kCommunicatorNs},
    {"nccl", "Comm", kCheapNs},
    {"nccl", "Group", kCheapNs},
    {"nccl", "", 6'000},
    {"", "ModuleLoad", kCodeNs},
    {"", "LibraryLoad", kCodeNs},
    {"cuLink", "", kCodeNs},
    // Graphs.
    {"", "GraphLaunch", 6'000},
    {"", "GraphInstantiate", kCodeNs},
    {"", "GraphExecUpdate", kAllocationNs},
    {"", "GraphClone", kAllocationNs},
    {"", "GraphAdd", kCheapNs},
    // Memory.
    {"", "HostAlloc", kPinningNs},
    {"", "MallocHost", kPinningNs},
    {"", "AllocHost", kPinningNs},
    {"", "HostRegister", kPinningNs},
    {"", "MallocAsync", kLaunchNs},
    {"", "MallocFromPool", kLaunchNs},
    {"", "AllocAsync", kLaunchNs},
    {"", "AllocFromPool", kLaunchNs},
    {"", "FreeAsync", kLaunchNs},
    {"", "Malloc", kAllocationNs},
    {"", "MemAlloc", kAllocationNs},
    {"", "MemCreate", kAllocationNs},
    {"", "MemMap", kAllocationNs},
    {"", "Free", 5'000},
    {"", "Memcpy", 3'000},
    {"", "Memset", kLaunchNs},
    // Streams.
    {"", "Launch", kLaunchNs},
    {"", "EventRecord", kQueueNs},
    {"", "StreamWaitEvent", 700},
    {"", "StreamCreate", 5'000},
    {"", "Synchronize", kQueueNs},
    // Work of the libraries, besides the launches below it.
    {"cudnnRNN", "", kAllocationNs},
    {"cudnn", "Convolution", 5'000},
    {"cudnn", "Execute", 5'000},
    {"", "gemm", kLibraryCallNs},
    {"", "Gemm", kLibraryCallNs},
    {"", "Matmul", kLibraryCallNs},
};

}  // namespace

uint32_t HostCostOf(std::string_view name) {
  for (const CostRule& rule : kRules) {
    if (!name.starts_with(rule.library)) continue;
    if (name.find(rule.part) == std::string_view::npos) continue;
    if (rule.goes_on && name.ends_with(rule.part)) continue;
    return rule.cost_ns;
  }
  return kCheapNs;
}

}  // namespace dltap::simgpu

// SPDX-License-Identifier: Apache-2.0
#include "simgpu/base/address_routes.h"

#include <dlfcn.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "simgpu/base/config.h"
#include "simgpu/base/fork_guard.h"

namespace dltap::simgpu {
namespace {

constexpr size_t kMaxStubs = 4096;
constexpr size_t kSlotBytes = 16;
constexpr size_t kRegionBytes = kMaxStubs * kSlotBytes;

struct StubData {
  uint64_t calls;  // by a locked instruction of the stub
  void* function;
};
static_assert(sizeof(StubData) == kSlotBytes);

// The code of every stub lies kRegionBytes behind its data, so that all are the
// same bytes:
//   lock incq calls(%rip)
//   jmp *function(%rip)
constexpr uint8_t kStub[] = {0xf0, 0x48, 0xff, 0x05, 0, 0, 0,
                             0,    0xff, 0x25, 0,    0, 0, 0};
constexpr size_t kAfterInc = 8;

StubData* MakeStubs() {
#ifdef __x86_64__
  void* region = mmap(nullptr, 2 * kRegionBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (region == MAP_FAILED) return nullptr;
  auto* code = static_cast<uint8_t*>(region) + kRegionBytes;
  const auto calls = -static_cast<int32_t>(kRegionBytes + kAfterInc);
  const auto function = -static_cast<int32_t>(kRegionBytes + sizeof(kStub)) +
                        static_cast<int32_t>(offsetof(StubData, function));
  for (size_t i = 0; i < kMaxStubs; ++i) {
    uint8_t* stub = code + i * kSlotBytes;
    std::memcpy(stub, kStub, sizeof(kStub));
    std::memcpy(stub + kAfterInc - sizeof(calls), &calls, sizeof(calls));
    std::memcpy(stub + sizeof(kStub) - sizeof(function), &function,
                sizeof(function));
  }
  if (mprotect(code, kRegionBytes, PROT_READ | PROT_EXEC) != 0) return nullptr;
  return static_cast<StubData*>(region);
#else
  return nullptr;
#endif
}

struct Routes {
  std::mutex mutex;
  StubData* stubs = MakeStubs();
  size_t stub_count = 0;
  std::map<std::string, size_t, std::less<>> stub_of;
  std::map<std::string, uint64_t, std::less<>> inner_calls;
};

void ForgetInChild();

Routes& GetRoutes() {
  static Routes* const routes = [] {
    AddForkChildHandler(ForgetInChild);
    return new Routes;
  }();
  return *routes;
}

// The parent reports what was called before the fork.
void ForgetInChild() {
  Routes& routes = GetRoutes();
  for (size_t i = 0; i < routes.stub_count; ++i) routes.stubs[i].calls = 0;
  for (auto& [name, calls] : routes.inner_calls) calls = 0;
}

bool IsCounting() { return !GetConfig().counts_path.empty(); }

std::string_view FolderOf(const void* code) {
  Dl_info info;
  if (dladdr(code, &info) == 0 || info.dli_fname == nullptr) return {};
  const std::string_view path = info.dli_fname;
  return path.substr(0, path.rfind('/') + 1);
}

}  // namespace

void* CountedAddress(const char* name, void* function) {
  if (function == nullptr || !IsCounting()) return function;
  Routes& routes = GetRoutes();
  const std::lock_guard lock(routes.mutex);
  if (routes.stubs == nullptr) return function;
  const auto known = routes.stub_of.find(name);
  size_t index = known != routes.stub_of.end() ? known->second : kMaxStubs;
  if (index == kMaxStubs) {
    if (routes.stub_count == kMaxStubs) return function;
    index = routes.stub_count++;
    routes.stubs[index].function = function;
    routes.stub_of.emplace(name, index);
  }
  auto* code = reinterpret_cast<uint8_t*>(routes.stubs) + kRegionBytes;
  return code + index * kSlotBytes;
}

void CountInnerCall(const char* name) {
  if (!IsCounting()) return;
  Routes& routes = GetRoutes();
  const std::lock_guard lock(routes.mutex);
  ++routes.inner_calls[name];
}

uint64_t CallsByAddress(std::string_view name) {
  Routes& routes = GetRoutes();
  const std::lock_guard lock(routes.mutex);
  uint64_t calls = 0;
  if (const auto stub = routes.stub_of.find(name);
      stub != routes.stub_of.end()) {
    calls +=
        __atomic_load_n(&routes.stubs[stub->second].calls, __ATOMIC_RELAXED);
  }
  if (const auto inner = routes.inner_calls.find(name);
      inner != routes.inner_calls.end()) {
    calls += inner->second;
  }
  return calls;
}

bool IsSimulatedLibrary(const void* code) {
  return FolderOf(code) ==
         FolderOf(reinterpret_cast<const void*>(&IsSimulatedLibrary));
}

}  // namespace dltap::simgpu

// SPDX-License-Identifier: Apache-2.0
#include "simgpu/base/default_call.h"

#include <cstdio>
#include <cstdlib>

#include "entry_points.h"
#include "simgpu/base/api_scope.h"
#include "simgpu/base/config.h"
#include "simgpu/base/counters.h"
#include "simgpu/base/error.h"

namespace dltap::simgpu {
namespace {

using specs::Library;

constexpr size_t kHandleBytes = 64;

constexpr const char* NameOf(Library library) {
  return specs::Words<Library>::kNames[static_cast<size_t>(library)];
}

constexpr ApiDomain DomainOf(Library library) {
  if (library == Library::kCudart) return ApiDomain::kRuntime;
  return library == Library::kCuda ? ApiDomain::kDriver : ApiDomain::kNone;
}

constinit ApiFunction g_functions[] = {
#define DLTAP_ENTRY_POINT(index, symbol, identifier, library, role)          \
  ApiFunction(NameOf(Library::library), #symbol, DomainOf(Library::library), \
              BodyKind::kDefault),
#include "entry_points.inc"
#include "vocabulary.h"
#undef DLTAP_ENTRY_POINT
};

void SayOnce(const ApiFunction& function) {
  if (!GetConfig().log_defaults || CallsOf(function) != 1) return;
  std::fprintf(stderr, "simgpu: %s is not implemented: default body\n",
               function.name);
}

}  // namespace

int CountDefault(specs::EntryPoint entry_point) {
  return CountDefault(g_functions[static_cast<uint16_t>(entry_point)]);
}

int CountDefault(ApiFunction& function) {
  const ApiScope scope(function);
  SayOnce(function);
  if (!SimulationEnabled()) return static_cast<int>(Error::kStubLibrary);
  return scope.injected_error();
}

void* AllocateDefaultHandle() { return std::calloc(1, kHandleBytes); }

}  // namespace dltap::simgpu

// SPDX-License-Identifier: Apache-2.0
#include "simgpu/base/default_call.h"

#include <cstdio>
#include <cstdlib>

#include "entry_points.h"
#include "simgpu/base/api_scope.h"
#include "simgpu/base/config.h"
#include "simgpu/base/counters.h"
#include "simgpu/base/error.h"
#include "simgpu/base/thread_state.h"
#include "vocabulary.h"

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
#undef DLTAP_ENTRY_POINT
};

void SayOnce(const ApiFunction& function) {
  if (!GetConfig().log_defaults || CallsOf(function) != 1) return;
  std::fprintf(stderr, "dltap: simgpu: %s is not implemented: default body\n",
               function.name);
}

}  // namespace

int CountDefault(specs::EntryPoint entry_point, int result) {
  return CountDefault(g_functions[static_cast<uint16_t>(entry_point)], result);
}

int CountDefault(ApiFunction& function, int result) {
  ApiScope scope(function);
  SayOnce(function);
  if (!SimulationEnabled()) {
    result = static_cast<int>(Error::kStubLibrary);
  } else if (scope.injected_error() != 0) {
    result = scope.injected_error();
  }
  if (result == 0) return 0;
  scope.set_result(result);
  if (function.domain == ApiDomain::kRuntime) {
    CurrentThread().last_error = result;
  }
  return result;
}

void* AllocateDefaultHandle() { return std::calloc(1, kHandleBytes); }

}  // namespace dltap::simgpu

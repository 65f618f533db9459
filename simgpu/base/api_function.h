// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BASE_API_FUNCTION_H_
#define DLTAP_SIMGPU_BASE_API_FUNCTION_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "vocabulary.h"

namespace dltap::simgpu {

// Which CUPTI callback domain a function belongs to.
enum class ApiDomain : uint8_t { kNone, kRuntime, kDriver };

// Written by hand, or the typed default out of the generator.
enum class BodyKind : uint8_t { kReal, kDefault };

class Fault;  // faults.h

// One exported function. Constant-initialised, lives for ever; it registers
// itself at its first call, which gives it its counter, cbid and fault.
struct ApiFunction {
  constexpr ApiFunction(const char* library_name, const char* symbol,
                        ApiDomain api_domain, BodyKind body_kind,
                        uint32_t cupti_id = 0)
      : library(library_name),
        name(symbol),
        domain(api_domain),
        body(body_kind),
        cbid(cupti_id) {}

  const char* library;  // "cudart", "cuda", "cublas", ...: as in the counts
  const char* name;
  ApiDomain domain;
  BodyKind body;
  std::atomic<uint32_t> counter{0};  // index of its counter; 0: not yet called
  // CUPTI's id, 0: it has none. Found by name unless given.
  uint32_t cbid = 0;
  uint32_t host_cost_ns = 0;  // what a call costs in virtual time
  Fault* fault = nullptr;     // from DLTAP_SIM_FAULTS
};

// Whether shim/specs/vocabulary.toml has a library of that name.
consteval bool IsLibrary(std::string_view name) {
  for (const std::string_view known : specs::Words<specs::Library>::kNames) {
    if (!known.empty() && known == name) return true;
  }
  return false;
}

template <size_t kSize>
struct ApiName {
  consteval ApiName(const char (&literal)[kSize]) {  // NOLINT: implicit
    for (size_t i = 0; i < kSize; ++i) text[i] = literal[i];
  }
  char text[kSize];
};

// The one ApiFunction of an exported name:
//   FunctionOf<"cublas", "cublasSgemm_v2">()
template <ApiName kLibrary, ApiName kSymbol,
          ApiDomain kDomain = ApiDomain::kNone,
          BodyKind kBody = BodyKind::kReal>
ApiFunction& FunctionOf() {
  static_assert(IsLibrary(kLibrary.text));
  static constinit ApiFunction function{kLibrary.text, kSymbol.text, kDomain,
                                        kBody};
  return function;
}

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BASE_API_FUNCTION_H_

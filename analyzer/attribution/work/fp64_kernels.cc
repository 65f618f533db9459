// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/work/fp64_kernels.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <vector>

#include "analyzer/attribution/names/name_rules.h"

namespace dltap::analyzer {
namespace {

bool IsWordByte(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool IsOneOf(std::string_view word, const auto& words) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

// Where a part of a name begins: "batchedgemm" holds no "dgemm".
bool HasPart(std::string_view name, std::string_view part) {
  for (size_t at = name.find(part); at != std::string_view::npos;
       at = name.find(part, at + 1)) {
    if (at == 0 || part[0] == '_' ||
        std::isalnum(static_cast<unsigned char>(name[at - 1])) == 0) {
      return true;
    }
  }
  return false;
}

// cuBLAS's and CUTLASS's products; the tensor cores' one is 8 x 8 x 4.
bool IsProductInDouble(std::string_view name) {
  constexpr std::string_view kSigns[] = {"dgemm", "zgemm",  "dgemv", "dsyrk",
                                         "d884",  "f64f64", "_f64_"};
  return std::any_of(
      std::begin(kSigns), std::end(kSigns),
      [name](std::string_view sign) { return HasPart(name, sign); });
}

}  // namespace

bool NamesFp64(std::string_view demangled) {
  constexpr std::string_view kDouble[] = {"double", "double2", "double4"};
  constexpr std::string_view kOthers[] = {
      "float",      "float2",        "float4",     "half",
      "__half",     "Half",          "half_t",     "BFloat16",
      "bfloat16_t", "__nv_bfloat16", "tfloat32_t", "Float8_e4m3fn",
      "Float8_e5m2"};
  if (IsProductInDouble(demangled)) return true;
  size_t at = std::min(demangled.find('<'), demangled.size());
  while (at < demangled.size()) {
    if (!IsWordByte(demangled[at])) {
      ++at;
      continue;
    }
    size_t end = at;
    while (end < demangled.size() && IsWordByte(demangled[end])) ++end;
    const std::string_view word = demangled.substr(at, end - at);
    if (IsOneOf(word, kDouble)) return true;
    if (IsOneOf(word, kOthers)) return false;
    at = end;
  }
  return false;
}

void FindFp64Kernels(const TraceModel& model, const Process& process,
                     ProcessAttribution& attribution) {
  std::vector<bool> seen(model.texts.size());
  for (const Activity& activity : process.activities) {
    if (activity.kind != ActivityKind::kKernel) continue;
    if (!activity.name.known() || seen[activity.name.value()]) continue;
    seen[activity.name.value()] = true;
    if (NamesFp64(Demangle(model.texts[activity.name]))) {
      attribution.fp64_kernels.insert(activity.name);
    }
  }
}

}  // namespace dltap::analyzer

// SPDX-License-Identifier: Apache-2.0
#include "shim/simgpu/device/elementwise.h"

#include <cstdint>
#include <cstring>
#include <string_view>

namespace dltap::simgpu {
namespace {

constexpr double kUnknownElementBytes = 4;

// Size of the type that the mangled text begins with; 0: none that we know.
double SizeOfType(std::string_view text) {
  for (const std::string_view two :
       {"N3c104HalfE", "N3c108BFloat16E", "s", "t"}) {
    if (text.starts_with(two)) return 2;
  }
  if (text.starts_with("N3c107complexIfE")) return 8;
  if (text.starts_with("N3c107complexIdE")) return 16;
  if (text.empty()) return 0;
  switch (text.front()) {
    case 'a':
    case 'b':
    case 'h': return 1;
    case 'f':
    case 'i':
    case 'j': return 4;
    case 'd':
    case 'l':
    case 'm':
    case 'x':
    case 'y': return 8;
    default: return 0;
  }
}

// A lambda's parameters (Ul...) name its types, the last lambda being the one
// that runs; a functor's template arguments (I...) do otherwise.
double ElementBytes(std::string_view functor) {
  for (const std::string_view mark : {"EUl", "I"}) {
    size_t at = functor.rfind(mark);
    while (at != std::string_view::npos) {
      const double size = SizeOfType(functor.substr(at + mark.size()));
      if (size > 0) return size;
      if (at == 0) break;
      at = functor.rfind(mark, at - 1);
    }
  }
  return kUnknownElementBytes;
}

// "...arrayIPcLm2EE...": 2.
double OperandsAt(std::string_view array) {
  int operands = 0;
  for (const char c : array) {
    if (c < '0' || c > '9' || operands > 100) break;
    operands = operands * 10 + (c - '0');
  }
  return operands;
}

}  // namespace

double ElementwiseBytes(const char* mangled_name, void* const* arguments) {
  const std::string_view name = mangled_name;
  constexpr std::string_view kArray = "rrayIPcL";  // array, Array; Lm or Li
  const size_t kernel = name.find("ed_elementwise_kernelI");
  if (kernel == std::string_view::npos || arguments == nullptr) return 0;
  const bool is_known = name.substr(0, kernel).ends_with("vectoriz") ||
                        name.substr(0, kernel).ends_with("unroll");
  const size_t array = name.find(kArray, kernel);
  if (!is_known || array == std::string_view::npos) return 0;
  int32_t elements = 0;
  std::memcpy(&elements, arguments[0], sizeof(elements));
  if (elements <= 0) return 0;
  return elements * OperandsAt(name.substr(array + kArray.size() + 1)) *
         ElementBytes(name.substr(kernel, array - kernel));
}

}  // namespace dltap::simgpu

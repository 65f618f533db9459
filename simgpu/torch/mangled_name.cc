// SPDX-License-Identifier: Apache-2.0
#include "simgpu/torch/mangled_name.h"

namespace dltap::simgpu {
namespace {

constexpr double kUnknownElementBytes = 4;

struct NamedType {
  std::string_view mangled;
  double bytes;
};
constexpr NamedType kClasses[] = {
    {"N3c104HalfE", 2},           {"N3c108BFloat16E", 2},
    {"N7cutlass6half_tE", 2},     {"N7cutlass10bfloat16_tE", 2},
    {"N3c107complexIfE", 8},      {"N3c107complexIdE", 16},
    {"N3c1013Float8_e4m3fnE", 1}, {"N3c1011Float8_e5m2E", 1},
};

}  // namespace

double SizeOfType(std::string_view text) {
  for (const NamedType& type : kClasses) {
    if (text.starts_with(type.mangled)) return type.bytes;
  }
  if (text.empty()) return 0;
  switch (text.front()) {
    case 'a':
    case 'b':
    case 'h': return 1;
    case 's':
    case 't': return 2;
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

double FirstTypeBytes(std::string_view arguments) {
  // Values stand before the types: Li4E, Lb1E.
  while (arguments.starts_with('L')) {
    const size_t end = arguments.find('E');
    if (end == std::string_view::npos) return 0;
    arguments.remove_prefix(end + 1);
  }
  return SizeOfType(arguments);
}

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

int LeadingNumber(std::string_view text) {
  constexpr int kLargest = 1'000'000;
  int number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9' || number > kLargest) break;
    number = number * 10 + (c - '0');
  }
  return number;
}

}  // namespace dltap::simgpu

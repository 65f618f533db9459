// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/names/template_text.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace dltap::analyzer {
namespace {

using opmodel::DType;

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

bool IsArrow(std::string_view text, size_t at) {
  return text[at] == '>' && at > 0 && text[at - 1] == '-';
}

// Where the bracket at `open` ends; npos: it does not.
size_t ClosingOf(std::string_view text, size_t open) {
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '<' || c == '(') ++depth;
    if ((c == '>' && !IsArrow(text, i)) || c == ')') --depth;
    if (depth == 0) return i;
  }
  return std::string_view::npos;
}

// The widest of them, as promotion would give.
DType Widest(const std::vector<DType>& types) {
  return *std::max_element(types.begin(), types.end(), [](DType a, DType b) {
    return opmodel::BitsOf(a) < opmodel::BitsOf(b);
  });
}

// f(A, B) -> A, B and the widest of both.
std::vector<DType> TypesOfLambda(std::string_view functor, size_t tensors) {
  const size_t at = functor.rfind("lambda(");
  if (at == std::string_view::npos) return {};
  std::vector<DType> types;
  for (std::string_view argument : ListAt(functor.substr(at + 6))) {
    types.push_back(ElementType(argument));
  }
  if (types.empty()) return {};
  if (tensors != 0 && types.size() + 1 != tensors) return {};
  types.push_back(Widest(types));
  return types;
}

}  // namespace

std::vector<std::string_view> ListAt(std::string_view text) {
  std::vector<std::string_view> items;
  const size_t end = text.empty() ? std::string_view::npos : ClosingOf(text, 0);
  if (end == std::string_view::npos) return items;
  size_t begin = 1;
  for (size_t i = 1; i < end; ++i) {
    if (text[i] == '<' || text[i] == '(') {
      i = std::min(ClosingOf(text, i), end);
    } else if (text[i] == ',') {
      items.push_back(Trimmed(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  const std::string_view last = Trimmed(text.substr(begin, end - begin));
  if (!last.empty()) items.push_back(last);
  return items;
}

std::vector<std::string_view> TemplateArguments(std::string_view demangled) {
  size_t at = 0;
  while (at < demangled.size() && demangled[at] != '<') {
    if (demangled.substr(at).starts_with("(anonymous")) {
      at = demangled.find(')', at);
    } else if (demangled[at] == '(') {
      return {};
    }
    if (at < demangled.size()) ++at;
  }
  if (demangled.substr(std::min(at, demangled.size())).starts_with("<unnamed>"))
    return TemplateArguments(demangled.substr(at + 9));
  return ListAt(demangled.substr(std::min(at, demangled.size())));
}

std::optional<int64_t> TemplateNumber(std::string_view argument) {
  if (argument.starts_with('(')) {
    argument.remove_prefix(std::min(argument.find(')'), argument.size() - 1) +
                           1);
  }
  int64_t value = 0;
  const auto* end = argument.data() + argument.size();
  const auto parsed = std::from_chars(argument.data(), end, value);
  if (parsed.ec != std::errc()) return std::nullopt;
  const std::string_view suffix(parsed.ptr,
                                static_cast<size_t>(end - parsed.ptr));
  if (suffix.find_first_not_of("uUlL") != std::string_view::npos) {
    return std::nullopt;
  }
  return value;
}

DType ElementType(std::string_view text) {
  constexpr std::pair<std::string_view, DType> kTypes[] = {
      {"float", DType::kF32},
      {"double", DType::kF64},
      {"c10::Half", DType::kF16},
      {"__half", DType::kF16},
      {"half", DType::kF16},
      {"c10::BFloat16", DType::kBf16},
      {"cutlass::half_t", DType::kF16},
      {"cutlass::bfloat16_t", DType::kBf16},
      {"__nv_bfloat16", DType::kBf16},
      {"bool", DType::kBool},
      {"char", DType::kI8},
      {"signed char", DType::kI8},
      {"unsigned char", DType::kU8},
      {"short", DType::kI16},
      {"int", DType::kI32},
      {"unsigned int", DType::kI32},
      {"long", DType::kI64},
      {"unsigned long", DType::kI64},
      {"long long", DType::kI64},
      {"c10::complex<float>", DType::kC64},
      {"c10::complex<double>", DType::kC128},
      {"c10::Float8_e4m3fn", DType::kF8E4M3},
      {"c10::Float8_e5m2", DType::kF8E5M2}};
  while (text.ends_with(' ') || text.ends_with('*') || text.ends_with('&')) {
    text.remove_suffix(1);
  }
  if (text.ends_with(" const")) text.remove_suffix(6);
  for (const auto& [name, type] : kTypes) {
    if (name == text) return type;
  }
  return DType::kUnknown;
}

std::string_view InnerFunctor(std::string_view functor) {
  const size_t at = functor.find("gpu_kernel_impl");
  const size_t open = functor.find('<', at == std::string_view::npos ? 0 : at);
  if (at == std::string_view::npos || open == std::string_view::npos) {
    return functor;
  }
  const auto arguments = ListAt(functor.substr(open));
  return arguments.empty() ? functor : arguments[0];
}

std::optional<int64_t> PointersIn(std::string_view argument) {
  if (argument.find("rray<char*") == std::string_view::npos) {
    return std::nullopt;
  }
  const auto arguments = TemplateArguments(argument);
  return arguments.size() == 2 ? TemplateNumber(arguments[1]) : std::nullopt;
}

std::vector<DType> TypesOfFunctor(std::string_view functor, size_t tensors) {
  std::vector<DType> types;
  const std::string_view name = functor.substr(0, functor.find('<'));
  const auto arguments = TemplateArguments(functor);
  const auto type = [&](size_t i) {
    return i < arguments.size() ? ElementType(arguments[i]) : DType::kUnknown;
  };
  // Of two operands and a result; the other operand may be a number.
  if (name.ends_with("BinaryFunctor")) return {type(0), type(1), type(2)};
  if (name.ends_with("AUnaryFunctor")) return {type(1), type(2)};
  if (name.ends_with("BUnaryFunctor")) return {type(0), type(2)};
  if (functor.find("lambda(") != std::string_view::npos) {
    return TypesOfLambda(functor, tensors);
  }
  if (arguments.size() != 1 && name.find("Compare") == std::string_view::npos) {
    return {};
  }
  return std::vector<DType>(tensors, type(0));
}

}  // namespace dltap::analyzer

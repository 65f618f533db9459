// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/operator_inputs.h"

#include <charconv>

namespace dltap::analyzer {
namespace {

using opmodel::DType;

// "[[8, 3], [], [[2], [3]]]" -> one shape per top-level element; what is
// nested deeper (a list of tensors) or no list gives an empty shape.
std::vector<Shape> ParseShapes(std::string_view json) {
  std::vector<Shape> shapes;
  int depth = 0;
  bool nested = false;
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '[') {
      ++depth;
      if (depth == 2) {
        shapes.emplace_back();
        nested = false;
      }
      nested |= depth > 2;
    } else if (c == ']') {
      --depth;
      if (depth == 1 && nested) shapes.back().clear();
    } else if (depth == 2 && ((c >= '0' && c <= '9') || c == '-')) {
      int64_t number = 0;
      const auto parsed =
          std::from_chars(json.data() + i, json.data() + json.size(), number);
      if (parsed.ec != std::errc()) return {};
      shapes.back().push_back(number);
      i = static_cast<size_t>(parsed.ptr - json.data()) - 1;
    }
  }
  return shapes;
}

// ["", "[1, 1]", "True"] -> the strings, which hold no quotes themselves.
std::vector<std::string_view> ParseStrings(std::string_view json) {
  std::vector<std::string_view> texts;
  size_t at = 0;
  while ((at = json.find('"', at)) != std::string_view::npos) {
    const size_t end = json.find('"', at + 1);
    if (end == std::string_view::npos) return {};
    texts.push_back(json.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return texts;
}

std::optional<bool> BoolOf(std::string_view text) {
  if (text == "True") return true;
  if (text == "False") return false;
  return std::nullopt;
}

std::optional<int64_t> IntOf(std::string_view text) {
  int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return number;
}

// The elements of "[a, b]" by `parse`; empty when one is not of the type.
template <typename T>
std::vector<T> ListOf(std::string_view text,
                      std::optional<T> (*parse)(std::string_view)) {
  std::vector<T> values;
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return {};
  text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    const size_t comma = text.find(',');
    std::string_view part = text.substr(0, comma);
    while (part.starts_with(' ')) part.remove_prefix(1);
    const std::optional<T> value = parse(part);
    if (!value) return {};
    values.push_back(*value);
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  return values;
}

}  // namespace

DType DTypeOfScalarType(std::string_view name) {
  struct Row {
    std::string_view name;
    DType type;
  };
  constexpr Row kRows[] = {{"Float", DType::kF32},
                           {"Double", DType::kF64},
                           {"Half", DType::kF16},
                           {"BFloat16", DType::kBf16},
                           {"Long", DType::kI64},
                           {"Int", DType::kI32},
                           {"Short", DType::kI16},
                           {"Byte", DType::kU8},
                           {"Char", DType::kI8},
                           {"Bool", DType::kBool},
                           {"Float8_e4m3fn", DType::kF8E4M3},
                           {"Float8_e5m2", DType::kF8E5M2},
                           {"ComplexFloat", DType::kC64},
                           {"ComplexDouble", DType::kC128}};
  for (const Row& row : kRows) {
    if (row.name == name) return row.type;
  }
  return DType::kUnknown;
}

OperatorInputs::OperatorInputs(std::string_view dims, std::string_view types,
                               std::string_view concrete)
    : dims_(ParseShapes(dims)),
      concrete_(ParseStrings(concrete)),
      types_(types) {}

const Shape& OperatorInputs::Dims(size_t i) const {
  static const Shape kNone;
  return i < dims_.size() ? dims_[i] : kNone;
}

std::string_view OperatorInputs::Text(size_t i) const {
  return i < concrete_.size() ? concrete_[i] : std::string_view();
}

std::optional<bool> OperatorInputs::Bool(size_t i) const {
  return BoolOf(Text(i));
}

std::optional<int64_t> OperatorInputs::Int(size_t i) const {
  return IntOf(Text(i));
}

std::vector<int64_t> OperatorInputs::Ints(size_t i) const {
  return ListOf<int64_t>(Text(i), IntOf);
}

std::vector<bool> OperatorInputs::Bools(size_t i) const {
  return ListOf<bool>(Text(i), BoolOf);
}

DType OperatorInputs::type() const {
  struct Row {
    std::string_view name;
    DType type;
  };
  constexpr Row kRows[] = {{"c10::Float8_e4m3fn", DType::kF8E4M3},
                           {"c10::Float8_e5m2", DType::kF8E5M2},
                           {"c10::BFloat16", DType::kBf16},
                           {"c10::Half", DType::kF16},
                           {"double", DType::kF64},
                           {"float", DType::kF32},
                           {"signed char", DType::kI8},
                           {"long", DType::kI64},
                           {"int", DType::kI32}};
  for (const Row& row : kRows) {
    if (types_.find(row.name) != std::string_view::npos) return row.type;
  }
  return DType::kUnknown;
}

}  // namespace dltap::analyzer

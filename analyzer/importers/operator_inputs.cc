// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/operator_inputs.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace dltap::analyzer {
namespace {

using opmodel::DType;

constexpr int64_t kMostElements = int64_t{1} << 53;

// As the profiler spells the types of tensors.
DType DTypeOfInput(std::string_view name) {
  struct Row {
    std::string_view name;
    DType type;
  };
  constexpr Row kRows[] = {{"float", DType::kF32},
                           {"c10::BFloat16", DType::kBf16},
                           {"c10::Half", DType::kF16},
                           {"double", DType::kF64},
                           {"long", DType::kI64},
                           {"long int", DType::kI64},
                           {"int", DType::kI32},
                           {"short", DType::kI16},
                           {"short int", DType::kI16},
                           {"signed char", DType::kI8},
                           {"unsigned char", DType::kU8},
                           {"bool", DType::kBool},
                           {"c10::Float8_e4m3fn", DType::kF8E4M3},
                           {"c10::Float8_e5m2", DType::kF8E5M2},
                           {"c10::complex<float>", DType::kC64},
                           {"c10::complex<double>", DType::kC128}};
  for (const Row& row : kRows) {
    if (row.name == name) return row.type;
  }
  return DType::kUnknown;
}

// "[[8, 3], [], [[2], [3]]]" -> one shape per top-level element; what is
// nested deeper (a list of tensors) or no list gives an empty shape. Nothing if
// a number cannot be read.
class ShapeParser {
 public:
  explicit ShapeParser(std::string_view json) {
    for (size_t i = 0; i < json.size(); ++i) {
      const char c = json[i];
      if (c == '[') {
        Open();
      } else if (c == ']') {
        Close();
      } else if (depth_ >= 2 && ((c >= '0' && c <= '9') || c == '-')) {
        int64_t number = 0;
        const auto parsed =
            std::from_chars(json.data() + i, json.data() + json.size(), number);
        if (parsed.ec != std::errc()) {
          shapes.clear();
          list_elements.clear();
          return;
        }
        (depth_ == 2 ? shapes.back() : inner_).push_back(number);
        i = static_cast<size_t>(parsed.ptr - json.data()) - 1;
      }
    }
  }

  std::vector<Shape> shapes;
  std::vector<int64_t> list_elements;  // of the tensors nested there

 private:
  void Open() {
    ++depth_;
    if (depth_ == 2) {
      shapes.emplace_back();
      list_elements.push_back(0);
    }
    if (depth_ == 3) inner_.clear();
  }
  void Close() {
    if (depth_ == 3) {
      shapes.back().clear();
      AddToList(ElementsIn(inner_));
    }
    --depth_;
  }

  void AddToList(int64_t elements) {
    int64_t& sum = list_elements.back();
    const bool fits = elements >= 0 && sum >= 0 && sum <= kMostElements;
    sum = fits ? sum + elements : -1;
  }

  int depth_ = 0;
  Shape inner_;
};

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

int64_t ElementsIn(const Shape& shape) {
  int64_t elements = 1;
  for (const int64_t size : shape) {
    if (size < 0 || (size > 0 && elements > kMostElements / size)) return -1;
    elements *= size;
  }
  return elements;
}

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
                               std::string_view concrete,
                               std::string_view strides)
    : concrete_(ParseStrings(concrete)) {
  ShapeParser parsed(dims);
  dims_ = std::move(parsed.shapes);
  list_elements_ = std::move(parsed.list_elements);
  strides_ = ShapeParser(strides).shapes;
  for (const std::string_view type : ParseStrings(types)) {
    types_.push_back(DTypeOfInput(type));
  }
}

DType OperatorInputs::TypeOf(size_t i) const {
  return i < types_.size() && i < dims_.size() ? types_[i] : DType::kUnknown;
}

int64_t OperatorInputs::ElementsOf(size_t i) const {
  return ElementsIn(Dims(i));
}

int64_t OperatorInputs::StoredElementsOf(size_t i) const {
  Shape stored = Dims(i);
  if (strides_.empty()) return ElementsIn(stored);
  if (i >= strides_.size() || strides_[i].size() != stored.size()) return -1;
  for (size_t d = 0; d < stored.size(); ++d) {
    if (strides_[i][d] == 0) stored[d] = std::min<int64_t>(stored[d], 1);
  }
  return ElementsIn(stored);
}

int64_t OperatorInputs::ElementsOfList(size_t i) const {
  return i < list_elements_.size() ? list_elements_[i] : 0;
}

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
  constexpr DType kOrder[] = {DType::kC64,    DType::kC128, DType::kF8E4M3,
                              DType::kF8E5M2, DType::kBf16, DType::kF16,
                              DType::kF64,    DType::kF32,  DType::kI8,
                              DType::kI64,    DType::kI32};
  for (const DType type : kOrder) {
    if (std::find(types_.begin(), types_.end(), type) != types_.end()) {
      return type;
    }
  }
  return DType::kUnknown;
}

}  // namespace dltap::analyzer

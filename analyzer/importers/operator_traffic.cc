// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/operator_traffic.h"

#include <algorithm>
#include <optional>

#include "absl/container/flat_hash_map.h"

namespace dltap::analyzer {
namespace {

using opmodel::BitsOf;
using opmodel::Dim;
using opmodel::DType;
using opmodel::Operation;
using opmodel::OpKind;

enum class Way : uint8_t {
  kMap,       // reads all tensors; the result has their common shape and type
  kCompare,   // the same, but the result is of booleans
  kFill,      // writes the first tensor
  kCopy,      // reads the second tensor, writes the first
  kReduce,    // the dimensions may be given: the argument `at`
  kScan,      // reads the first tensor; the result is like it
  kGather,    // the result has the shape of the indices, the argument `at`
  kRows,      // the same, with rows of the first tensor
  kSelect,    // the first tensor's, with as many at dimension `at` as indices
  kList,      // of as many elements as the lists have
  kOptimizer  // the same, the lists of an update
};

struct Traffic {
  std::string_view name;  // without "aten::", and "_" of those in place
  Way way;
  int flops;  // of one element
  size_t at = 0;
};

// Positions of arguments are those of PyTorch's native_functions.yaml.
constexpr Traffic kTraffics[] = {{"add", Way::kMap, 1},
                                 {"sub", Way::kMap, 1},
                                 {"rsub", Way::kMap, 1},
                                 {"mul", Way::kMap, 1},
                                 {"div", Way::kMap, 1},
                                 {"neg", Way::kMap, 1},
                                 {"abs", Way::kMap, 1},
                                 {"exp", Way::kMap, 1},
                                 {"exp2", Way::kMap, 1},
                                 {"expm1", Way::kMap, 1},
                                 {"log", Way::kMap, 1},
                                 {"log2", Way::kMap, 1},
                                 {"log10", Way::kMap, 1},
                                 {"log1p", Way::kMap, 1},
                                 {"sqrt", Way::kMap, 1},
                                 {"rsqrt", Way::kMap, 1},
                                 {"reciprocal", Way::kMap, 1},
                                 {"sin", Way::kMap, 1},
                                 {"cos", Way::kMap, 1},
                                 {"tan", Way::kMap, 1},
                                 {"erf", Way::kMap, 1},
                                 {"pow", Way::kMap, 1},
                                 {"sign", Way::kMap, 1},
                                 {"floor", Way::kMap, 1},
                                 {"ceil", Way::kMap, 1},
                                 {"round", Way::kMap, 1},
                                 {"trunc", Way::kMap, 1},
                                 {"fmod", Way::kMap, 1},
                                 {"remainder", Way::kMap, 1},
                                 {"maximum", Way::kMap, 1},
                                 {"minimum", Way::kMap, 1},
                                 {"clamp", Way::kMap, 1},
                                 {"clamp_min", Way::kMap, 1},
                                 {"clamp_max", Way::kMap, 1},
                                 {"hardtanh", Way::kMap, 1},
                                 {"addcmul", Way::kMap, 3},
                                 {"addcdiv", Way::kMap, 3},
                                 {"lerp", Way::kMap, 3},
                                 {"elu_backward", Way::kMap, 2},
                                 {"softplus_backward", Way::kMap, 2},
                                 {"hardtanh_backward", Way::kMap, 2},
                                 {"native_dropout_backward", Way::kMap, 2},
                                 {"where", Way::kMap, 0},
                                 {"masked_fill", Way::kMap, 0},
                                 {"eq", Way::kCompare, 1},
                                 {"ne", Way::kCompare, 1},
                                 {"lt", Way::kCompare, 1},
                                 {"le", Way::kCompare, 1},
                                 {"gt", Way::kCompare, 1},
                                 {"ge", Way::kCompare, 1},
                                 {"isnan", Way::kCompare, 1},
                                 {"logical_not", Way::kCompare, 0},
                                 {"logical_and", Way::kCompare, 0},
                                 {"logical_or", Way::kCompare, 0},
                                 {"fill", Way::kFill, 0},
                                 {"zero", Way::kFill, 0},
                                 {"copy", Way::kCopy, 0},
                                 {"sum", Way::kReduce, 1, 1},
                                 {"mean", Way::kReduce, 1, 1},
                                 {"amax", Way::kReduce, 1, 1},
                                 {"amin", Way::kReduce, 1, 1},
                                 {"prod", Way::kReduce, 1, 1},
                                 {"linalg_vector_norm", Way::kReduce, 2, 2},
                                 {"cumsum", Way::kScan, 1},
                                 {"cumprod", Way::kScan, 1},
                                 {"flip", Way::kScan, 0},
                                 {"roll", Way::kScan, 0},
                                 {"gather", Way::kGather, 0, 2},
                                 {"embedding", Way::kRows, 0, 1},
                                 {"index_select", Way::kSelect, 0, 1},
                                 {"cat", Way::kList, 0},
                                 {"_foreach_add", Way::kList, 1},
                                 {"_foreach_sub", Way::kList, 1},
                                 {"_foreach_mul", Way::kList, 1},
                                 {"_foreach_div", Way::kList, 1},
                                 {"_foreach_neg", Way::kList, 1},
                                 {"_foreach_abs", Way::kList, 1},
                                 {"_foreach_sqrt", Way::kList, 1},
                                 {"_foreach_exp", Way::kList, 1},
                                 {"_foreach_pow", Way::kList, 1},
                                 {"_foreach_maximum", Way::kList, 1},
                                 {"_foreach_minimum", Way::kList, 1},
                                 {"_foreach_clamp_min", Way::kList, 1},
                                 {"_foreach_clamp_max", Way::kList, 1},
                                 {"_foreach_reciprocal", Way::kList, 1},
                                 {"_foreach_sign", Way::kList, 1},
                                 {"_foreach_addcmul", Way::kList, 3},
                                 {"_foreach_addcdiv", Way::kList, 3},
                                 {"_foreach_lerp", Way::kList, 3},
                                 {"_fused_adam", Way::kOptimizer, 1},
                                 {"_fused_adamw", Way::kOptimizer, 1}};

constexpr std::string_view kNamespace = "aten::";

const Traffic* Find(std::string_view name, bool* in_place) {
  static const auto* const kByName = [] {
    auto* table = new absl::flat_hash_map<std::string_view, const Traffic*>;
    for (const Traffic& row : kTraffics) table->emplace(row.name, &row);
    return table;
  }();
  if (!name.starts_with(kNamespace)) return nullptr;
  name.remove_prefix(kNamespace.size());
  *in_place = name.ends_with('_');
  if (*in_place) name.remove_suffix(1);
  const auto it = kByName->find(name);
  return it == kByName->end() ? nullptr : it->second;
}

bool IsComplex(DType type) {
  return type == DType::kC64 || type == DType::kC128;
}

bool IsFloat(DType type) {
  return type == DType::kF64 || type == DType::kF32 || type == DType::kF16 ||
         type == DType::kBf16;
}

// What is moved, gathered from one tensor after the other.
class Moved {
 public:
  void Read(const OperatorInputs& in, size_t i) {
    read_bytes_ += BytesOf(in.StoredElementsOf(i), in.TypeOf(i));
  }
  void Read(int64_t elements, DType type) {
    read_bytes_ += BytesOf(elements, type);
  }
  void Write(int64_t elements, DType type) {
    written_ = elements;
    type_ = type;
    BytesOf(elements, type);
  }

  // Nothing where a tensor's type or size is not known. What computes counts
  // what it reads in elements of the result's type, the rest counts bytes.
  OperationNodes Nodes(OpKind kind, DType math, int flops) const {
    if (is_unknown_ || written_ == 0) return {};
    const int64_t size = BitsOf(type_) / 8;
    Operation op;
    op.math = math == DType::kF64 ? math : DType::kF32;
    if (flops == 0 || !IsFloat(math)) {
      op.kind = OpKind::kLayout;
      op.storage = DType::kU8;
      op[Dim::kElementsIn] = read_bytes_;
      op[Dim::kElementsOut] = written_ * size;
      return {op};
    }
    op.kind = kind;
    op.storage = type_;
    op[Dim::kElementsIn] = (read_bytes_ + size - 1) / size;
    op[Dim::kElementsOut] = written_;
    return OperationNodes(static_cast<size_t>(flops), op);
  }

 private:
  int64_t BytesOf(int64_t elements, DType type) {
    constexpr int64_t kMost = int64_t{1} << 60;
    is_unknown_ |= BitsOf(type) < 8 || elements < 0 || read_bytes_ > kMost;
    return is_unknown_ ? 0 : elements * BitsOf(type) / 8;
  }

  int64_t read_bytes_ = 0;
  int64_t written_ = 0;
  DType type_ = DType::kUnknown;
  bool is_unknown_ = false;
};

// The shape that all tensors are broadcast to; nullopt: they do not fit.
std::optional<Shape> CommonShape(const OperatorInputs& in) {
  Shape common;
  for (size_t i = 0; i < in.size(); ++i) {
    if (in.TypeOf(i) == DType::kUnknown) continue;
    const Shape& shape = in.Dims(i);
    if (shape.size() > common.size()) {
      common.insert(common.begin(), shape.size() - common.size(), 1);
    }
    for (size_t d = 0; d < shape.size(); ++d) {
      int64_t& size = common[common.size() - 1 - d];
      const int64_t other = shape[shape.size() - 1 - d];
      if (size != 1 && other != 1 && size != other) return std::nullopt;
      if (size == 1) size = other;
    }
  }
  return common;
}

// The type of the arithmetic, as long as tensors with dimensions agree in it;
// masks are of booleans. A tensor without dimensions takes part as a number.
std::optional<DType> CommonType(const OperatorInputs& in) {
  DType type = DType::kUnknown;
  for (const bool with_dims : {true, false}) {
    for (size_t i = 0; i < in.size(); ++i) {
      const DType own = in.TypeOf(i);
      const bool takes_part = own != DType::kUnknown && own != DType::kBool &&
                              in.Dims(i).empty() != with_dims;
      if (!takes_part || own == type) continue;
      if (type == DType::kUnknown) {
        type = own;
      } else if (with_dims) {
        return std::nullopt;
      }
    }
  }
  return type == DType::kUnknown ? DType::kBool : type;
}

OperationNodes Map(const OperatorInputs& in, const Traffic& row,
                   bool in_place) {
  const std::optional<Shape> shape = CommonShape(in);
  const std::optional<DType> type = CommonType(in);
  if (!shape || !type || (IsComplex(*type) && row.flops != 0)) return {};
  // Divisions and functions of integers give floats.
  if (!IsFloat(*type) && row.flops != 0 && row.way == Way::kMap && !in_place &&
      row.name != "add" && row.name != "sub" && row.name != "mul") {
    return {};
  }
  Moved moved;
  for (size_t i = 0; i < in.size(); ++i) {
    const bool is_number = in.Dims(i).empty() && !shape->empty();
    if (in.TypeOf(i) != DType::kUnknown && !is_number) moved.Read(in, i);
  }
  if (in_place) {
    moved.Write(in.ElementsOf(0), in.TypeOf(0));
  } else {
    moved.Write(ElementsIn(*shape),
                row.way == Way::kCompare ? DType::kBool : *type);
  }
  return moved.Nodes(OpKind::kPointwise, *type, row.flops);
}

// What remains of the first tensor; without a list of dimensions one element.
int64_t Reduced(const OperatorInputs& in, size_t dims) {
  Shape left = in.Dims(0);
  const std::vector<int64_t> gone = in.Ints(dims);
  if (gone.empty()) return 1;
  const auto rank = static_cast<int64_t>(left.size());
  for (const int64_t dim : gone) {
    const int64_t at = dim < 0 ? dim + rank : dim;
    if (at < 0 || at >= rank) return -1;
    left[static_cast<size_t>(at)] = 1;
  }
  return ElementsIn(left);
}

// A number in place of the dimensions, or after them, is the result's type or
// a dimension that is not counted as such.
OperationNodes Reduce(const OperatorInputs& in, const Traffic& row) {
  const DType type = in.TypeOf(0);
  if (!IsFloat(type) || !in.has_scalars()) return {};
  if (in.Int(row.at) || in.Int(row.at + 2)) return {};
  Moved moved;
  moved.Read(in, 0);
  moved.Write(Reduced(in, row.at), type);
  return moved.Nodes(OpKind::kReduction, type, row.flops);
}

// Sums of integers, and those of which a type is asked, have another type.
OperationNodes Scan(const OperatorInputs& in, const Traffic& row) {
  const DType type = in.TypeOf(0);
  if (row.flops > 0 && (!IsFloat(type) || in.Int(2))) return {};
  Moved moved;
  moved.Read(in, 0);
  moved.Write(in.ElementsOf(0), type);
  return moved.Nodes(OpKind::kPointwise, type, row.flops);
}

// The first tensor's elements at the indices; -1: the inputs do not fit.
int64_t ElementsAt(const OperatorInputs& in, const Traffic& row) {
  const Shape& from = in.Dims(0);
  if (row.way == Way::kGather) return in.ElementsOf(row.at);
  if (row.way == Way::kRows) {
    Shape rows = in.Dims(row.at);
    if (from.size() != 2) return -1;
    rows.push_back(from[1]);
    return ElementsIn(rows);
  }
  const std::optional<int64_t> dim = in.Int(row.at);
  const auto rank = static_cast<int64_t>(from.size());
  if (!dim || *dim < -rank || *dim >= rank) return -1;
  Shape result = from;
  result[static_cast<size_t>(*dim < 0 ? *dim + rank : *dim)] =
      in.ElementsOf(row.at + 1);
  return ElementsIn(result);
}

OperationNodes Gather(const OperatorInputs& in, const Traffic& row) {
  const int64_t elements = ElementsAt(in, row);
  Moved moved;
  moved.Read(in, row.way == Way::kSelect ? row.at + 1 : row.at);
  moved.Read(elements, in.TypeOf(0));
  moved.Write(elements, in.TypeOf(0));
  return moved.Nodes(OpKind::kLayout, in.TypeOf(0), 0);
}

OperationNodes List(const OperatorInputs& in, const Traffic& row) {
  Operation op;
  op.kind = row.way == Way::kOptimizer ? OpKind::kOptimizer
            : row.flops == 0           ? OpKind::kLayout
                                       : OpKind::kPointwise;
  op[Dim::kElementsOut] = in.ElementsOfList(0);
  if (op[Dim::kElementsOut] <= 0) return {};
  return OperationNodes(static_cast<size_t>(std::max(row.flops, 1)), op);
}

}  // namespace

bool HasTraffic(std::string_view name) {
  bool in_place = false;
  return Find(name, &in_place) != nullptr;
}

OperationNodes TrafficOf(std::string_view name, const OperatorInputs& in) {
  bool in_place = false;
  const Traffic* const row = Find(name, &in_place);
  if (row == nullptr) return {};
  Moved moved;
  switch (row->way) {
    case Way::kMap:
    case Way::kCompare: return Map(in, *row, in_place);
    case Way::kReduce: return Reduce(in, *row);
    case Way::kGather:
    case Way::kRows:
    case Way::kSelect: return Gather(in, *row);
    case Way::kList:
    case Way::kOptimizer: return List(in, *row);
    case Way::kFill:
      moved.Write(in.ElementsOf(0), in.TypeOf(0));
      return moved.Nodes(OpKind::kLayout, in.TypeOf(0), 0);
    case Way::kCopy:
      moved.Read(in, 1);
      moved.Write(in.ElementsOf(0), in.TypeOf(0));
      return moved.Nodes(OpKind::kLayout, in.TypeOf(0), 0);
    case Way::kScan: return Scan(in, *row);
  }
  return {};
}

}  // namespace dltap::analyzer

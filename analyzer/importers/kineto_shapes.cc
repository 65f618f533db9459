// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/kineto_shapes.h"

#include <charconv>
#include <cstdint>
#include <vector>

namespace dltap::analyzer {
namespace {

using opmodel::Dim;
using opmodel::DType;
using opmodel::Operation;
using opmodel::OpKind;

using Shape = std::vector<int64_t>;

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

DType FirstType(std::string_view types) {
  struct Row {
    std::string_view name;
    DType type;
  };
  constexpr Row kRows[] = {{"c10::BFloat16", DType::kBf16},
                           {"c10::Half", DType::kF16},
                           {"double", DType::kF64},
                           {"float", DType::kF32},
                           {"signed char", DType::kI8},
                           {"long", DType::kI64},
                           {"int", DType::kI32}};
  for (const Row& row : kRows) {
    if (types.find(row.name) != std::string_view::npos) return row.type;
  }
  return DType::kUnknown;
}

Operation Gemm(int64_t batch, int64_t m, int64_t n, int64_t k) {
  Operation op;
  op.kind = OpKind::kGemm;
  op[Dim::kBatch] = batch;
  op[Dim::kM] = m;
  op[Dim::kN] = n;
  op[Dim::kK] = k;
  return op;
}

// a [m, k] times b [k, n], after `skip` leading arguments; batched with three.
OperationNodes Product(const std::vector<Shape>& in, size_t skip, size_t rank) {
  if (in.size() < skip + 2) return {};
  const Shape& a = in[skip];
  const Shape& b = in[skip + 1];
  if (a.size() != rank || b.size() != rank) return {};
  const int64_t batch = rank == 3 ? a[0] : 1;
  return {Gemm(batch, a[rank - 2], b[rank - 1], a[rank - 1])};
}

// x [..., in] times w [out, in].
OperationNodes Linear(const std::vector<Shape>& in) {
  if (in.size() < 2 || in[0].empty() || in[1].size() != 2) return {};
  int64_t rows = 1;
  for (size_t i = 0; i + 1 < in[0].size(); ++i) rows *= in[0][i];
  return {Gemm(1, rows, in[1][0], in[1][1])};
}

// x [n, c, spatial...], w [k, c / groups, filter...], y [n, k, spatial...].
Operation Conv(OpKind kind, const Shape& x, const Shape& w, const Shape& y) {
  constexpr Dim kIn[] = {Dim::kWidthIn, Dim::kHeightIn, Dim::kDepthIn};
  constexpr Dim kFilter[] = {Dim::kFilterWidth, Dim::kFilterHeight,
                             Dim::kFilterDepth};
  constexpr Dim kOut[] = {Dim::kWidthOut, Dim::kHeightOut, Dim::kDepthOut};
  Operation op;
  op.kind = kind;
  op[Dim::kBatch] = x[0];
  op[Dim::kChannelsIn] = x[1];
  op[Dim::kChannelsOut] = w[0];
  op[Dim::kGroups] = w[1] > 0 ? x[1] / w[1] : 1;
  for (size_t i = 0; i < 3; ++i) {
    const bool has = i + 2 < x.size();
    op[kIn[i]] = has ? x[x.size() - 1 - i] : 1;
    op[kFilter[i]] = has ? w[w.size() - 1 - i] : 1;
    op[kOut[i]] = has ? y[y.size() - 1 - i] : 1;
  }
  return op;
}

bool AreConvShapes(const Shape& x, const Shape& w) {
  return x.size() >= 3 && x.size() <= 5 && w.size() == x.size();
}

// aten::convolution_backward(grad_output, input, weight, ...): both gradients.
OperationNodes ConvBackward(const std::vector<Shape>& in) {
  if (in.size() < 3 || !AreConvShapes(in[1], in[2])) return {};
  if (in[0].size() != in[1].size()) return {};
  return {Conv(OpKind::kConvBackwardData, in[1], in[2], in[0]),
          Conv(OpKind::kConvBackwardWeight, in[1], in[2], in[0])};
}

OperationNodes Operate(std::string_view name, const std::vector<Shape>& in) {
  if (name == "aten::mm") return Product(in, 0, 2);
  if (name == "aten::addmm") return Product(in, 1, 2);
  if (name == "aten::bmm") return Product(in, 0, 3);
  if (name == "aten::baddbmm") return Product(in, 1, 3);
  if (name == "aten::linear") return Linear(in);
  if (name == "aten::convolution_backward") return ConvBackward(in);
  return {};
}

}  // namespace

OperationNodes OperationOfOperator(std::string_view name, std::string_view dims,
                                   std::string_view types) {
  if (dims.empty() || !name.starts_with("aten::")) return {};
  OperationNodes nodes = Operate(name, ParseShapes(dims));
  for (Operation& op : nodes) {
    op.storage = FirstType(types);
    op.math = op.storage;
  }
  return nodes;
}

}  // namespace dltap::analyzer

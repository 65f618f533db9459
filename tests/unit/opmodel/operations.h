// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_UNIT_OPMODEL_OPERATIONS_H_
#define DLTAP_TESTS_UNIT_OPMODEL_OPERATIONS_H_

#include <initializer_list>
#include <utility>

#include "opmodel/operation.h"

namespace dltap::opmodel {

// An FP32 operation with the given dimensions.
inline Operation MakeOperation(
    OpKind kind, std::initializer_list<std::pair<Dim, int64_t>> dims) {
  Operation op;
  op.kind = kind;
  op.storage = DType::kF32;
  op.math = DType::kF32;
  for (const auto& [dim, value] : dims) op[dim] = value;
  return op;
}

inline Operation MakeGemm(int64_t m, int64_t n, int64_t k, int64_t batch = 1) {
  return MakeOperation(
      OpKind::kGemm,
      {{Dim::kBatch, batch}, {Dim::kM, m}, {Dim::kN, n}, {Dim::kK, k}});
}

// A square image and filter; `padding` on each side.
struct SquareConv {
  int64_t batch, in_channels, out_channels, size, filter;
  int64_t stride = 1;
  int64_t padding = 0;
  int64_t groups = 1;

  int64_t OutputSize() const {
    return (size + 2 * padding - filter) / stride + 1;
  }
};

inline Operation MakeConv(OpKind kind, const SquareConv& conv) {
  return MakeOperation(kind, {{Dim::kBatch, conv.batch},
                              {Dim::kChannelsIn, conv.in_channels},
                              {Dim::kChannelsOut, conv.out_channels},
                              {Dim::kHeightIn, conv.size},
                              {Dim::kWidthIn, conv.size},
                              {Dim::kFilterHeight, conv.filter},
                              {Dim::kFilterWidth, conv.filter},
                              {Dim::kHeightOut, conv.OutputSize()},
                              {Dim::kWidthOut, conv.OutputSize()},
                              {Dim::kGroups, conv.groups}});
}

inline Operation MakeRnn(OpKind kind, RnnCell cell, int64_t seq, int64_t batch,
                         int64_t input, int64_t hidden) {
  Operation op = MakeOperation(kind, {{Dim::kSeq, seq},
                                      {Dim::kBatch, batch},
                                      {Dim::kInput, input},
                                      {Dim::kHidden, hidden}});
  op.cell = cell;
  return op;
}

}  // namespace dltap::opmodel

#endif  // DLTAP_TESTS_UNIT_OPMODEL_OPERATIONS_H_

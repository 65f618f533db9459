// SPDX-License-Identifier: Apache-2.0
#include "opmodel/cost.h"

#include <algorithm>
#include <cmath>

#include "opmodel/rnn_shape.h"

namespace dltap::opmodel {
namespace {

double Value(const Operation& op, Dim dim) {
  return static_cast<double>(op[dim]);
}

// Dimensions that are 0 when they do not apply: depth, groups, layers, ...
double OneIfUnset(const Operation& op, Dim dim) {
  return std::max(1.0, Value(op, dim));
}

template <typename... Dims>
bool Known(const Operation& op, Dims... dims) {
  return ((op[dims] > 0) && ...);
}

double BytesPerElement(const Operation& op) { return BitsOf(op.storage) / 8.0; }

// A complex multiply-add is four real ones.
double RealOpsFactor(const Operation& op) {
  const bool complex = op.storage == DType::kC64 || op.storage == DType::kC128;
  return complex ? 4 : 1;
}

// m n dot products of length k: k multiplications and k additions each
// (LAPACK working note 41 counts alpha and beta too; they are dropped here).
std::optional<Cost> GemmCost(const Operation& op) {
  if (!Known(op, Dim::kM, Dim::kN, Dim::kK)) return std::nullopt;
  const double batch = OneIfUnset(op, Dim::kBatch);
  const double m = Value(op, Dim::kM);
  const double n = Value(op, Dim::kN);
  const double k = Value(op, Dim::kK);
  return Cost{.flops = RealOpsFactor(op) * 2 * batch * m * n * k,
              .bytes = BytesPerElement(op) * batch * (m * k + k * n + m * n)};
}

// Direct convolution: every output element sums C/groups * T*R*S products.
// Backward data and backward weight reorder the same products (dx and dw get
// one multiply-add per (output, tap) pair), so all three count the same.
std::optional<Cost> ConvCost(const Operation& op) {
  if (!Known(op, Dim::kBatch, Dim::kChannelsIn, Dim::kChannelsOut,
             Dim::kHeightIn, Dim::kWidthIn, Dim::kFilterHeight,
             Dim::kFilterWidth, Dim::kHeightOut, Dim::kWidthOut)) {
    return std::nullopt;
  }
  const double channels_per_group =
      Value(op, Dim::kChannelsIn) / OneIfUnset(op, Dim::kGroups);
  const double taps = OneIfUnset(op, Dim::kFilterDepth) *
                      Value(op, Dim::kFilterHeight) *
                      Value(op, Dim::kFilterWidth);
  const double output = Value(op, Dim::kBatch) * Value(op, Dim::kChannelsOut) *
                        OneIfUnset(op, Dim::kDepthOut) *
                        Value(op, Dim::kHeightOut) * Value(op, Dim::kWidthOut);
  const double input = Value(op, Dim::kBatch) * Value(op, Dim::kChannelsIn) *
                       OneIfUnset(op, Dim::kDepthIn) *
                       Value(op, Dim::kHeightIn) * Value(op, Dim::kWidthIn);
  const double filter =
      Value(op, Dim::kChannelsOut) * channels_per_group * taps;
  return Cost{
      .flops = RealOpsFactor(op) * 2 * output * channels_per_group * taps,
      .bytes = BytesPerElement(op) * (input + filter + output)};
}

// Matrix products only, as DeepBench and cuDNN's documentation count them; the
// cell's activations are below 1 % of them for hidden sizes of 64 and more.
std::optional<Cost> RnnCost(const Operation& op) {
  const std::optional<RnnShape> shape = RnnShapeOf(op);
  if (!shape) return std::nullopt;
  const double directions = static_cast<double>(shape->directions);
  const double steps = shape->rows * directions;
  double weights = 0;  // of all layers and directions
  double flops = 0;
  for (int64_t layer = 0; layer < shape->layers; ++layer) {
    const double layer_weights =
        shape->gates * shape->hidden *
            (shape->LayerInput(layer) + shape->recurrent) +
        shape->proj * shape->hidden;
    weights += directions * layer_weights;
    flops += 2 * steps * layer_weights;
  }
  const double input =
      shape->rows * (shape->input > 0 ? shape->input : shape->recurrent);
  const double output = steps * shape->recurrent;
  // Forward reads x and writes y; backward data reads dy (and y) and writes dx;
  // backward weight reads x and y and writes dw instead of reading w.
  return Cost{.flops = flops,
              .bytes = BytesPerElement(op) * (weights + input + output)};
}

// Scores Q K^T and their product with V: 2 d + 2 d_v per (query, key) pair. A
// causal mask leaves half of the pairs (FlashAttention's convention). Backward
// is five products instead of two: recomputed scores, dQ and dK by the heads'
// size, dV and dP by that of the values.
std::optional<Cost> AttentionCost(const Operation& op, bool backward) {
  if (!Known(op, Dim::kBatch, Dim::kHeads, Dim::kSeqQ, Dim::kSeqKv,
             Dim::kHeadDim)) {
    return std::nullopt;
  }
  const double batch = Value(op, Dim::kBatch);
  const double heads = Value(op, Dim::kHeads);
  const double kv_heads =
      op[Dim::kKvHeads] > 0 ? Value(op, Dim::kKvHeads) : heads;
  const double dim = Value(op, Dim::kHeadDim);
  const double dim_v = op[Dim::kHeadDimV] > 0 ? Value(op, Dim::kHeadDimV) : dim;
  const double seq_q = Value(op, Dim::kSeqQ);
  const double seq_kv = Value(op, Dim::kSeqKv);

  const double pairs =
      batch * heads * seq_q * seq_kv / (op[Dim::kCausal] != 0 ? 2 : 1);
  const double depth = backward ? 3 * dim + 2 * dim_v : dim + dim_v;
  const double queries = batch * heads * seq_q * dim;
  const double keys_values = batch * kv_heads * seq_kv * (dim + dim_v);
  const double outputs = batch * heads * seq_q * dim_v;
  const double forward_elements = queries + keys_values + outputs;
  // Backward reads those and dO, and writes dQ, dK, dV.
  const double elements = backward ? 2 * forward_elements : forward_elements;
  return Cost{.flops = 2 * pairs * depth,
              .bytes = BytesPerElement(op) * elements};
}

// Arithmetic per element of streaming operations; an approximate count, since
// exp or sqrt count as one. They matter only for the roofline's x axis.
double FlopsPerElement(OpKind kind) {
  switch (kind) {
    case OpKind::kSoftmaxForward: return 5;   // max, subtract, exp, add, divide
    case OpKind::kSoftmaxBackward: return 4;  // y dy, sum, subtract, multiply
    case OpKind::kNormForward:
      return 8;  // mean 1, variance 3, normalise 2, scale and shift 2
    case OpKind::kNormBackward:
      return 13;  // xhat 2, dgamma 2, dbeta 1, g 1, two sums 3, dx 4
    case OpKind::kActivationBackward:
    case OpKind::kDropoutForward:
    case OpKind::kRng: return 2;
    case OpKind::kOptimizer:
      return 10;  // Adam: two moments 6, bias correction and update 4
    case OpKind::kLayout:
    case OpKind::kCopy:
    case OpKind::kMemset:
    case OpKind::kEmbedding: return 0;
    default: return 1;
  }
}

// One pass: reads elements_in, writes elements_out.
std::optional<Cost> StreamingCost(const Operation& op) {
  if (op[Dim::kElementsIn] <= 0 && op[Dim::kElementsOut] <= 0) {
    return std::nullopt;
  }
  const double in = Value(op, Dim::kElementsIn);
  const double out = Value(op, Dim::kElementsOut);
  const bool many_to_one = op.kind == OpKind::kReduction ||
                           op.kind == OpKind::kPoolForward ||
                           op.kind == OpKind::kCollective;
  const double counted = many_to_one || out == 0 ? in : out;
  return Cost{.flops = FlopsPerElement(op.kind) * counted,
              .bytes = BytesPerElement(op) * (in + out)};
}

// 5 N log2 N of a complex transform of N points, half of that of a real one:
// the count of FFTW's benchmarks, whatever algorithm runs. The complex side of
// a real transform has more reals than points.
std::optional<Cost> FftCost(const Operation& op) {
  if (!Known(op, Dim::kRows, Dim::kElementsIn, Dim::kElementsOut)) {
    return std::nullopt;
  }
  const double in = Value(op, Dim::kElementsIn);
  const double out = Value(op, Dim::kElementsOut);
  const bool is_complex =
      op.storage == DType::kC64 || op.storage == DType::kC128;
  const double points = std::min(in, out);
  const double stages = std::log2(points / Value(op, Dim::kRows));
  return Cost{.flops = (is_complex ? 5 : 2.5) * points * stages,
              .bytes = BytesPerElement(op) * (in + out)};
}

// The leading terms of LAPACK working note 41. L and Q stay in the place of A.
double FactorizationFlops(OpKind kind, double m, double n) {
  const double small = std::min(m, n);
  const double large = std::max(m, n);
  switch (kind) {
    case OpKind::kCholesky: return n * n * n / 3;
    case OpKind::kLu: return small * small * (large - small / 3);
    default:  // QR
      return 2 * small * small * (large - small / 3);
  }
}

std::optional<Cost> FactorizationCost(const Operation& op) {
  const bool is_square = op.kind == OpKind::kCholesky;
  if (!Known(op, Dim::kN) || (!is_square && !Known(op, Dim::kM))) {
    return std::nullopt;
  }
  const double n = Value(op, Dim::kN);
  const double m = is_square ? n : Value(op, Dim::kM);
  const double batch = OneIfUnset(op, Dim::kBatch);
  // Of a symmetric matrix one half is read and written.
  const double elements = is_square ? n * (n + 1) / 2 : m * n;
  return Cost{
      .flops = RealOpsFactor(op) * batch * FactorizationFlops(op.kind, m, n),
      .bytes = BytesPerElement(op) * 2 * batch * elements};
}

}  // namespace

std::optional<Cost> CostOf(const Operation& op) {
  if (BitsOf(op.storage) == 0) return std::nullopt;
  switch (op.kind) {
    case OpKind::kUnknown: return std::nullopt;
    case OpKind::kGemm: return GemmCost(op);
    case OpKind::kConvForward:
    case OpKind::kConvBackwardData:
    case OpKind::kConvBackwardWeight: return ConvCost(op);
    case OpKind::kRnnForward:
    case OpKind::kRnnBackwardData:
    case OpKind::kRnnBackwardWeight: return RnnCost(op);
    case OpKind::kAttentionForward:
    case OpKind::kAttentionBackward:
      return AttentionCost(op, op.kind == OpKind::kAttentionBackward);
    case OpKind::kFft: return FftCost(op);
    case OpKind::kCholesky:
    case OpKind::kLu:
    case OpKind::kQr: return FactorizationCost(op);
    default: return StreamingCost(op);
  }
}

}  // namespace dltap::opmodel

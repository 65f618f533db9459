// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_OPMODEL_OPERATION_H_
#define DLTAP_OPMODEL_OPERATION_H_

#include <array>
#include <cstdint>

namespace dltap::opmodel {

// What an operation computes. Numbered: the values are written to traces
// (operation definitions) and must never be reused.
enum class OpKind : uint16_t {
  kUnknown = 0,
  kGemm = 1,         // D = alpha op(A) op(B) + beta C, possibly batched
  kConvForward = 2,  // also called fprop
  kConvBackwardData = 3,
  kConvBackwardWeight = 4,
  kRnnForward = 5,
  kRnnBackwardData = 6,
  kRnnBackwardWeight = 7,
  kAttentionForward = 8,
  kAttentionBackward = 9,
  kNormForward = 10,
  kNormBackward = 11,
  kPoolForward = 12,
  kPoolBackward = 13,
  kSoftmaxForward = 14,
  kSoftmaxBackward = 15,
  kActivationForward = 16,
  kActivationBackward = 17,
  kDropoutForward = 18,
  kDropoutBackward = 19,
  kPointwise = 20,  // any elementwise chain
  kReduction = 21,
  kLayout = 22,  // transpose, reshape, cast, concat
  kRng = 23,
  kCopy = 24,
  kMemset = 25,
  kCollective = 26,
  kEmbedding = 27,
  kOptimizer = 28,
};

// Element type of tensors and of the arithmetic. Numbered: written to traces.
enum class DType : uint8_t {
  kUnknown = 0,
  kF64 = 1,
  kF32 = 2,
  kTf32 = 3,  // arithmetic only: F32 storage, TF32 tensor cores
  kF16 = 4,
  kBf16 = 5,
  kF8E4M3 = 6,
  kF8E5M2 = 7,
  kF4E2M1 = 8,
  kI8 = 9,
  kI32 = 10,
  kI64 = 11,
  kU8 = 12,
  kBool = 13,
  kC64 = 14,   // two F32
  kC128 = 15,  // two F64
  kI16 = 16,
};

// Bits (not bytes: F4) one element occupies in memory; 0 for kUnknown.
int BitsOf(DType type);

enum class RnnCell : uint8_t {
  kNone = 0,
  kRelu = 1,
  kTanh = 2,
  kLstm = 3,
  kGru = 4
};

// Dimensions by kind; unused entries are 0. All are element counts.
//   GEMM       batch, m, n, k as in BLAS: D is m x n, column-major, and op(A)
//              is m x k; trans_a, trans_b (0/1)
//   CONV       batch n, in channels c, in d/h/w, out channels k, filter t/r/s,
//              out d/h/w, groups (2-D convolutions have depth 1)
//   RNN        seq, batch, input (0: x is added without a matrix, cuDNN's
//              SKIP_INPUT), hidden, proj (0: none), layers, directions
//   ATTENTION  batch, heads, kv_heads, seq_q, seq_kv, head_dim, head_dim_v,
//              causal (0/1)
//   others     elements_in, elements_out (reads and writes of the whole op),
//              rows = independent rows (norm, softmax, reduction)
enum class Dim : uint8_t {
  kBatch = 0,
  kM,
  kN,
  kK,
  kChannelsIn,
  kChannelsOut,
  kDepthIn,
  kHeightIn,
  kWidthIn,
  kFilterDepth,
  kFilterHeight,
  kFilterWidth,
  kDepthOut,
  kHeightOut,
  kWidthOut,
  kGroups,
  kSeq,
  kInput,
  kHidden,
  kProj,
  kLayers,
  kDirections,
  kHeads,
  kKvHeads,
  kSeqQ,
  kSeqKv,
  kHeadDim,
  kHeadDimV,
  kCausal,
  kElementsIn,
  kElementsOut,
  kRows,
  kTransA,
  kTransB,
  kCount
};

// One operation, as its library call described it.
struct Operation {
  OpKind kind = OpKind::kUnknown;
  RnnCell cell = RnnCell::kNone;
  DType storage = DType::kUnknown;  // of the inputs
  DType math = DType::kUnknown;     // of the multiplications
  std::array<int64_t, static_cast<int>(Dim::kCount)> dims{};

  int64_t& operator[](Dim d) { return dims[static_cast<int>(d)]; }
  int64_t operator[](Dim d) const { return dims[static_cast<int>(d)]; }
};

}  // namespace dltap::opmodel

#endif  // DLTAP_OPMODEL_OPERATION_H_

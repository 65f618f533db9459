// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/kineto_shapes.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "absl/container/flat_hash_set.h"
#include "analyzer/importers/operator_inputs.h"
#include "analyzer/importers/operator_traffic.h"

namespace dltap::analyzer {
namespace {

using opmodel::Dim;
using opmodel::Operation;
using opmodel::OpKind;

// Positions of arguments are those of PyTorch's native_functions.yaml.
constexpr size_t kNone = 99;  // no such argument

constexpr std::string_view kCollectivePrefix = "nccl:";

OperationNodes Gemm(int64_t batch, int64_t m, int64_t n, int64_t k) {
  Operation op;
  op.kind = OpKind::kGemm;
  op[Dim::kBatch] = batch;
  op[Dim::kM] = m;
  op[Dim::kN] = n;
  op[Dim::kK] = k;
  return {op};
}

// a [m, k] times b [k, n], the arguments `first` and the next; batched with a
// rank of 3. A vector is a matrix of one column.
OperationNodes Product(const OperatorInputs& in, size_t first, size_t rank) {
  const Shape& a = in.Dims(first);
  const Shape& b = in.Dims(first + 1);
  if (rank == 2 && a.size() == 2 && b.size() == 1) {
    return Gemm(1, a[0], 1, a[1]);
  }
  if (a.size() != rank || b.size() != rank) return {};
  return Gemm(rank == 3 ? a[0] : 1, a[rank - 2], b[rank - 1], a[rank - 1]);
}

// x [..., in] times w [out, in].
OperationNodes Linear(const OperatorInputs& in) {
  const Shape& x = in.Dims(0);
  const Shape& w = in.Dims(1);
  if (x.empty() || w.size() != 2) return {};
  int64_t rows = 1;
  for (size_t i = 0; i + 1 < x.size(); ++i) rows *= x[i];
  return Gemm(1, rows, w[0], w[1]);
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

// Where a forward convolution keeps its numbers; x and w come first.
struct ConvRow {
  std::string_view name;
  size_t stride;
  size_t padding;
  size_t dilation;
  size_t output_padding = kNone;  // known: a transposed convolution ...
  size_t transposed = kNone;      // ... or it is one if this is true
};

constexpr ConvRow kConvs[] = {
    {"aten::convolution", 3, 4, 5, 7, 6},
    {"aten::_convolution", 3, 4, 5, 7, 6},
    {"aten::cudnn_convolution", 3, 2, 4},
    {"aten::cudnn_convolution_transpose", 4, 2, 5, 3},
    {"aten::cudnn_convolution_relu", 3, 4, 5},
    {"aten::cudnn_convolution_add_relu", 5, 6, 7},
    {"aten::miopen_convolution", 4, 3, 5},
    {"aten::miopen_depthwise_convolution", 4, 3, 5},
    {"aten::miopen_convolution_transpose", 5, 3, 6, 4},
    {"aten::_conv_depthwise2d", 4, 5, 6},
    {"aten::conv_depthwise3d", 4, 5, 6},
    {"aten::_slow_conv2d_forward", 4, 5, kNone},
    {"aten::slow_conv3d_forward", 4, 5, kNone},
    {"aten::slow_conv_dilated2d", 4, 5, 6},
    {"aten::slow_conv_dilated3d", 4, 5, 6}};

// The list's element for a spatial dimension; one element stands for all.
int64_t At(const std::vector<int64_t>& list, size_t i, int64_t unset) {
  if (list.empty()) return unset;
  return list[std::min(i, list.size() - 1)];
}

// The result's shape; empty when strides and paddings were not recorded.
Shape ConvOutput(const OperatorInputs& in, const ConvRow& row,
                 bool transposed) {
  const Shape& x = in.Dims(0);
  const Shape& w = in.Dims(1);
  const auto strides = in.Ints(row.stride);
  const auto paddings = in.Ints(row.padding);
  const auto dilations = in.Ints(row.dilation);
  const auto extra = in.Ints(row.output_padding);
  if (strides.empty() || paddings.empty()) return {};
  Shape y = {x[0], w[0]};
  for (size_t i = 2; i < x.size(); ++i) {
    const int64_t stride = std::max<int64_t>(1, At(strides, i - 2, 1));
    const int64_t padding = At(paddings, i - 2, 0);
    const int64_t reach = At(dilations, i - 2, 1) * (w[i] - 1);
    y.push_back(transposed ? (x[i] - 1) * stride - 2 * padding + reach +
                                 At(extra, i - 2, 0) + 1
                           : (x[i] + 2 * padding - reach - 1) / stride + 1);
  }
  return y;
}

// A transposed convolution is the data gradient of one from y to x: filters
// are [c, k / groups, filter...], and y has the channels of all groups.
Shape WithChannels(Shape y, const Shape& x, const Shape& w, int64_t groups) {
  y[0] = x[0];
  y[1] = w[1] * groups;
  return y;
}

OperationNodes ConvForward(const OperatorInputs& in, const ConvRow& row) {
  const Shape& x = in.Dims(0);
  const Shape& w = in.Dims(1);
  if (!AreConvShapes(x, w)) return {};
  bool transposed = row.output_padding != kNone;
  if (row.transposed != kNone) {
    const std::optional<bool> flag = in.Bool(row.transposed);
    if (!flag) return {};
    transposed = *flag;
  }
  const Shape y = ConvOutput(in, row, transposed);
  if (y.empty()) return {};
  if (!transposed) return {Conv(OpKind::kConvForward, x, w, y)};
  const std::optional<int64_t> groups =
      in.Int(std::max(row.dilation, row.output_padding) + 1);
  if (!groups) return {};
  return {
      Conv(OpKind::kConvBackwardData, WithChannels(y, x, w, *groups), w, x)};
}

// aten::convolution_backward(grad_output, input, weight, bias sizes, stride,
// padding, dilation, transposed, output_padding, groups, output_mask): the
// gradients that are asked for.
OperationNodes ConvBackward(const OperatorInputs& in) {
  const Shape& y = in.Dims(0);
  const Shape& x = in.Dims(1);
  const Shape& w = in.Dims(2);
  const std::vector<bool> mask = in.Bools(10);
  const std::optional<bool> transposed = in.Bool(7);
  if (mask.size() != 3 || !transposed) return {};
  if (!AreConvShapes(x, w) || y.size() != x.size()) return {};
  const Shape& from = *transposed ? y : x;
  const Shape& to = *transposed ? x : y;
  OperationNodes nodes;
  if (mask[0]) {
    nodes.push_back(
        Conv(*transposed ? OpKind::kConvForward : OpKind::kConvBackwardData,
             from, w, to));
  }
  if (mask[1]) {
    nodes.push_back(Conv(OpKind::kConvBackwardWeight, from, w, to));
  }
  return nodes;
}

// aten::_cudnn_rnn(input, weights, ..., mode, hidden, proj, layers,
// batch_first, dropout, train, bidirectional, ...), `mode` being its position.
OperationNodes Rnn(const OperatorInputs& in, size_t mode, bool backward) {
  constexpr opmodel::RnnCell kCells[] = {
      opmodel::RnnCell::kRelu, opmodel::RnnCell::kTanh, opmodel::RnnCell::kLstm,
      opmodel::RnnCell::kGru};
  const Shape& x = in.Dims(0);
  const auto cell = in.Int(mode);
  const auto layers = in.Int(mode + 3);
  const auto batch_first = in.Bool(mode + 4);
  const auto bidirectional = in.Bool(mode + 7);
  // Sequences of several lengths: two dimensions, and how many sequences go on
  // at each step.
  const bool is_packed = x.size() == 2;
  const std::vector<int64_t> going_on =
      is_packed ? in.Ints(mode + 8) : std::vector<int64_t>{};
  if ((x.size() != 3 && going_on.empty()) || !cell || *cell < 0 ||
      *cell >= std::ssize(kCells) || !layers || *layers < 1 || *layers > 1000 ||
      !batch_first || !bidirectional) {
    return {};
  }
  Operation op;
  op.kind = backward ? OpKind::kRnnBackwardData : OpKind::kRnnForward;
  op.cell = kCells[*cell];
  op[Dim::kSeq] = is_packed ? std::ssize(going_on) : x[*batch_first ? 1 : 0];
  op[Dim::kBatch] = is_packed ? going_on[0] : x[*batch_first ? 0 : 1];
  op[Dim::kRows] = is_packed ? x[0] : 0;
  op[Dim::kInput] = x.back();
  op[Dim::kHidden] = in.Int(mode + 1).value_or(0);
  op[Dim::kProj] = in.Int(mode + 2).value_or(0);
  op[Dim::kLayers] = *layers;
  op[Dim::kDirections] = *bidirectional ? 2 : 1;
  if (!backward) return {op};
  OperationNodes nodes = {op};
  const std::vector<bool> mask = in.Bools(mode + 11);  // the last is dw
  if (mask.size() != 4) return {};
  if (mask[3]) {
    op.kind = OpKind::kRnnBackwardWeight;
    nodes.push_back(op);
  }
  return nodes;
}

struct AttentionRow {
  std::string_view name;
  size_t query;  // key and value follow
  size_t causal;
  size_t heads =
      1;  // the dimension of the heads; that of the sequence is 3 - it
};

constexpr AttentionRow kAttentions[] = {
    {"aten::_scaled_dot_product_flash_attention", 0, 4},
    {"aten::_scaled_dot_product_flash_attention_backward", 1, 11},
    {"aten::_scaled_dot_product_efficient_attention", 0, 6},
    {"aten::_scaled_dot_product_efficient_attention_backward", 1, 11},
    {"aten::_scaled_dot_product_cudnn_attention", 0, 6},
    {"aten::_scaled_dot_product_cudnn_attention_backward", 1, 14},
    {"flash_attn::_flash_attn_forward", 0, 5, 2},
    {"flash_attn::_flash_attn_backward", 1, 11, 2}};

OperationNodes Attention(const OperatorInputs& in, const AttentionRow& row) {
  const Shape& q = in.Dims(row.query);
  const Shape& k = in.Dims(row.query + 1);
  const Shape& v = in.Dims(row.query + 2);
  const std::optional<bool> causal = in.Bool(row.causal);
  if (q.size() != 4 || k.size() != 4 || v.size() != 4 || !causal) return {};
  const size_t seq = 3 - row.heads;
  Operation op;
  op.kind =
      row.query == 0 ? OpKind::kAttentionForward : OpKind::kAttentionBackward;
  op[Dim::kBatch] = q[0];
  op[Dim::kHeads] = q[row.heads];
  op[Dim::kKvHeads] = k[row.heads];
  op[Dim::kSeqQ] = q[seq];
  op[Dim::kSeqKv] = k[seq];
  op[Dim::kHeadDim] = q[3];
  op[Dim::kHeadDimV] = v[3];
  op[Dim::kCausal] = *causal ? 1 : 0;
  return {op};
}

struct StreamingRow {
  std::string_view name;
  OpKind kind;
  size_t tensor = 0;  // whose elements are counted
};

constexpr StreamingRow kStreaming[] = {
    {"aten::native_layer_norm", OpKind::kNormForward},
    {"aten::native_layer_norm_backward", OpKind::kNormBackward, 1},
    {"aten::native_group_norm", OpKind::kNormForward},
    {"aten::native_group_norm_backward", OpKind::kNormBackward, 1},
    {"aten::native_batch_norm", OpKind::kNormForward},
    {"aten::native_batch_norm_backward", OpKind::kNormBackward, 1},
    {"aten::cudnn_batch_norm", OpKind::kNormForward},
    {"aten::cudnn_batch_norm_backward", OpKind::kNormBackward},
    {"aten::miopen_batch_norm", OpKind::kNormForward},
    {"aten::miopen_batch_norm_backward", OpKind::kNormBackward},
    {"aten::_fused_rms_norm", OpKind::kNormForward},
    {"aten::_fused_rms_norm_backward", OpKind::kNormBackward, 1},
    {"aten::relu", OpKind::kActivationForward},
    {"aten::relu_", OpKind::kActivationForward},
    {"aten::gelu", OpKind::kActivationForward},
    {"aten::silu", OpKind::kActivationForward},
    {"aten::silu_", OpKind::kActivationForward},
    {"aten::sigmoid", OpKind::kActivationForward},
    {"aten::sigmoid_", OpKind::kActivationForward},
    {"aten::tanh", OpKind::kActivationForward},
    {"aten::tanh_", OpKind::kActivationForward},
    {"aten::elu", OpKind::kActivationForward},
    {"aten::leaky_relu", OpKind::kActivationForward},
    {"aten::hardswish", OpKind::kActivationForward},
    {"aten::mish", OpKind::kActivationForward},
    {"aten::softplus", OpKind::kActivationForward},
    {"aten::gelu_backward", OpKind::kActivationBackward},
    {"aten::silu_backward", OpKind::kActivationBackward},
    {"aten::sigmoid_backward", OpKind::kActivationBackward},
    {"aten::tanh_backward", OpKind::kActivationBackward},
    {"aten::threshold_backward", OpKind::kActivationBackward},
    {"aten::leaky_relu_backward", OpKind::kActivationBackward},
    {"aten::hardswish_backward", OpKind::kActivationBackward},
    {"aten::_softmax", OpKind::kSoftmaxForward},
    {"aten::_log_softmax", OpKind::kSoftmaxForward},
    {"aten::_softmax_backward_data", OpKind::kSoftmaxBackward},
    {"aten::_log_softmax_backward_data", OpKind::kSoftmaxBackward}};

OperationNodes Streaming(const OperatorInputs& in, const StreamingRow& row) {
  const Shape& x = in.Dims(row.tensor);
  if (x.empty()) return {};
  const int64_t elements =
      std::accumulate(x.begin(), x.end(), int64_t{1}, std::multiplies<>());
  const bool backward = row.kind == OpKind::kNormBackward ||
                        row.kind == OpKind::kSoftmaxBackward ||
                        row.kind == OpKind::kActivationBackward;
  Operation op;
  op.kind = row.kind;
  op[Dim::kElementsIn] = (backward ? 2 : 1) * elements;
  op[Dim::kElementsOut] = elements;
  return {op};
}

// The annotation of a collective: what this rank puts in.
OperationNodes Collective(const OperatorInputs& in) {
  const Shape& x = in.Dims(0);
  if (x.empty()) return {};
  Operation op;
  op.kind = OpKind::kCollective;
  op[Dim::kElementsIn] =
      std::accumulate(x.begin(), x.end(), int64_t{1}, std::multiplies<>());
  return {op};
}

struct ProductRow {
  std::string_view name;
  size_t first;
  size_t rank;
};

constexpr ProductRow kProducts[] = {
    {"aten::mm", 0, 2},      {"aten::addmm", 1, 2},
    {"aten::bmm", 0, 3},     {"aten::baddbmm", 1, 3},
    {"aten::addbmm", 1, 3},  {"aten::_addmm_activation", 1, 2},
    {"aten::mv", 0, 2},      {"aten::addmv", 1, 2},
    {"aten::_int_mm", 0, 2}, {"aten::_scaled_mm", 0, 2}};

template <typename Row, size_t n>
const Row* Find(const Row (&rows)[n], std::string_view name) {
  const Row* row = std::find_if(rows, rows + n, [name](const Row& candidate) {
    return candidate.name == name;
  });
  return row == rows + n ? nullptr : row;
}

// Most operators have no row: their inputs need not be read.
bool HasRow(std::string_view name) {
  static const absl::flat_hash_set<std::string_view> kNames = [] {
    absl::flat_hash_set<std::string_view> names = {
        "aten::linear", "aten::convolution_backward", "aten::_cudnn_rnn",
        "aten::_cudnn_rnn_backward"};
    for (const auto& row : kProducts) names.insert(row.name);
    for (const auto& row : kConvs) names.insert(row.name);
    for (const auto& row : kAttentions) names.insert(row.name);
    for (const auto& row : kStreaming) names.insert(row.name);
    return names;
  }();
  return kNames.contains(name) || name.starts_with(kCollectivePrefix);
}

OperationNodes Operate(std::string_view name, const OperatorInputs& in) {
  if (const auto* row = Find(kProducts, name)) {
    return Product(in, row->first, row->rank);
  }
  if (const auto* row = Find(kConvs, name)) return ConvForward(in, *row);
  if (const auto* row = Find(kAttentions, name)) return Attention(in, *row);
  if (const auto* row = Find(kStreaming, name)) return Streaming(in, *row);
  if (name.starts_with(kCollectivePrefix)) return Collective(in);
  if (name == "aten::linear") return Linear(in);
  if (name == "aten::convolution_backward") return ConvBackward(in);
  if (name == "aten::_cudnn_rnn") return Rnn(in, 6, false);
  if (name == "aten::_cudnn_rnn_backward") return Rnn(in, 10, true);
  return {};
}

}  // namespace

OperationNodes OperationOfOperator(std::string_view name, std::string_view dims,
                                   std::string_view types,
                                   std::string_view concrete,
                                   std::string_view strides) {
  if (dims.empty()) return {};
  if (HasRow(name)) {
    const OperatorInputs inputs(dims, types, concrete);
    OperationNodes nodes = Operate(name, inputs);
    for (Operation& op : nodes) op.storage = op.math = inputs.type();
    return nodes;
  }
  if (!HasTraffic(name)) return {};
  return TrafficOf(name, OperatorInputs(dims, types, concrete, strides));
}

}  // namespace dltap::analyzer

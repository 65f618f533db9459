// SPDX-License-Identifier: Apache-2.0
#include "simgpu/cudnn/graph_decode.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace dltap::simgpu {
namespace {

using opmodel::Dim;
using opmodel::DType;
using opmodel::Operation;
using opmodel::OpKind;
using Dims = std::vector<int64_t>;

constexpr int kConvForward =
    CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR;
constexpr int kConvFilter =
    CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR;
constexpr int kConvData =
    CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR;

Dims DimsOf(const BodyPointer& tensor) {
  return tensor == nullptr
             ? Dims{}
             : tensor->Values<int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS);
}

DType TypeOf(const BodyPointer& tensor) {
  if (tensor == nullptr) return DType::kF32;
  return DTypeOf(static_cast<cudnnDataType_t>(
      tensor->Value<int32_t>(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_DATA_FLOAT)));
}

int64_t Product(const Dims& dims) {
  return dims.empty() ? 0
                      : std::accumulate(dims.begin(), dims.end(), int64_t{1},
                                        std::multiplies<>());
}

int64_t At(const Dims& dims, size_t index, int64_t otherwise = 1) {
  return index < dims.size() ? dims[index] : otherwise;
}

// The i-th from the end.
int64_t Last(const Dims& dims, size_t index) {
  return index < dims.size() ? dims[dims.size() - 1 - index] : 1;
}

struct Nodes {
  std::vector<BodyPointer> all;

  std::vector<BodyPointer> Of(int type) const {
    std::vector<BodyPointer> found;
    std::copy_if(all.begin(), all.end(), std::back_inserter(found),
                 [&](const BodyPointer& node) {
                   return node != nullptr && node->type == type;
                 });
    return found;
  }
  BodyPointer First(int type) const {
    const auto found = Of(type);
    return found.empty() ? nullptr : found.front();
  }
};

Operation Conv(OpKind kind, const BodyPointer& x, const BodyPointer& w,
               const BodyPointer& y) {
  Operation op{.kind = kind, .storage = TypeOf(x)};
  op.math = op.storage == DType::kF32 ? DType::kTf32 : op.storage;
  const Dims in = DimsOf(x);
  const Dims filter = DimsOf(w);
  const Dims out = DimsOf(y);
  op[Dim::kBatch] = At(in, 0);
  op[Dim::kChannelsIn] = At(in, 1);
  op[Dim::kChannelsOut] = At(out, 1);
  const auto spatial = [](const Dims& dims, size_t from_end) {
    return dims.size() > from_end + 2 ? Last(dims, from_end) : int64_t{1};
  };
  op[Dim::kWidthIn] = spatial(in, 0);
  op[Dim::kHeightIn] = spatial(in, 1);
  op[Dim::kDepthIn] = spatial(in, 2);
  op[Dim::kFilterWidth] = spatial(filter, 0);
  op[Dim::kFilterHeight] = spatial(filter, 1);
  op[Dim::kFilterDepth] = spatial(filter, 2);
  op[Dim::kWidthOut] = spatial(out, 0);
  op[Dim::kHeightOut] = spatial(out, 1);
  op[Dim::kDepthOut] = spatial(out, 2);
  op[Dim::kGroups] =
      std::max<int64_t>(1, At(in, 1) / std::max<int64_t>(1, At(filter, 1)));
  return op;
}

Operation ConvOf(const BackendBody& node) {
  switch (static_cast<int>(node.type)) {
    case kConvForward:
      return Conv(OpKind::kConvForward,
                  node.Body(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X),
                  node.Body(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W),
                  node.Body(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y));
    case kConvData:
      return Conv(OpKind::kConvBackwardData,
                  node.Body(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX),
                  node.Body(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W),
                  node.Body(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY));
    default:
      return Conv(OpKind::kConvBackwardWeight,
                  node.Body(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X),
                  node.Body(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW),
                  node.Body(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY));
  }
}

struct AttentionShape {
  Dims q;  // batch, heads, seq_q, head_dim
  int64_t kv_heads;
  int64_t seq_kv;
  int64_t head_dim_v;
};

Operation Attention(OpKind kind, DType type, const AttentionShape& shape,
                    bool causal) {
  Operation op{.kind = kind, .storage = type, .math = type};
  op[Dim::kBatch] = At(shape.q, 0);
  op[Dim::kHeads] = At(shape.q, 1);
  op[Dim::kKvHeads] = shape.kv_heads;
  op[Dim::kSeqQ] = At(shape.q, 2);
  op[Dim::kSeqKv] = shape.seq_kv;
  op[Dim::kHeadDim] = At(shape.q, 3);
  op[Dim::kHeadDimV] = shape.head_dim_v;
  op[Dim::kCausal] = causal;
  return op;
}

Operation Sdpa(const BackendBody& node, bool backward) {
  const auto body = [&](int forward_name, int backward_name) {
    return node.Body(backward ? backward_name : forward_name);
  };
  const BodyPointer q = body(CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC,
                             CUDNN_ATTR_OPERATION_SDPA_BWD_QDESC);
  const Dims k = DimsOf(body(CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC,
                             CUDNN_ATTR_OPERATION_SDPA_BWD_KDESC));
  const Dims v = DimsOf(body(CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC,
                             CUDNN_ATTR_OPERATION_SDPA_BWD_VDESC));
  return Attention(
      backward ? OpKind::kAttentionBackward : OpKind::kAttentionForward,
      TypeOf(q), {DimsOf(q), At(k, 1), At(k, 2), At(v, 3)}, false);
}

bool HasMask(const Nodes& nodes) {
  return std::any_of(
      nodes.all.begin(), nodes.all.end(), [](const BodyPointer& node) {
        const BodyPointer mode =
            node->Body(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR);
        return mode != nullptr &&
               mode->Value<int32_t>(CUDNN_ATTR_POINTWISE_MODE, -1) ==
                   CUDNN_POINTWISE_GEN_INDEX;
      });
}

// Two products with a softmax between them (five in the backward pass). The
// first is Q K^T: its B is K transposed.
Operation CompositeAttention(const Nodes& nodes,
                             const std::vector<BodyPointer>& products) {
  constexpr size_t kFewestOfBackward = 4;
  const bool backward = products.size() >= kFewestOfBackward;
  const BodyPointer q =
      products.front()->Body(CUDNN_ATTR_OPERATION_MATMUL_ADESC);
  const Dims k_transposed =
      DimsOf(products.front()->Body(CUDNN_ATTR_OPERATION_MATMUL_BDESC));
  const Dims v = DimsOf(products[1]->Body(CUDNN_ATTR_OPERATION_MATMUL_BDESC));
  const Dims q_dims = DimsOf(q);
  return Attention(
      backward ? OpKind::kAttentionBackward : OpKind::kAttentionForward,
      TypeOf(q),
      {q_dims, At(k_transposed, 1), Last(k_transposed, 0),
       backward ? At(q_dims, 3) : Last(v, 0)},
      HasMask(nodes));
}

Operation Matmul(const BackendBody& node) {
  const BodyPointer a = node.Body(CUDNN_ATTR_OPERATION_MATMUL_ADESC);
  const Dims left = DimsOf(a);
  const Dims out = DimsOf(node.Body(CUDNN_ATTR_OPERATION_MATMUL_CDESC));
  Operation op{.kind = OpKind::kGemm, .storage = TypeOf(a)};
  op.math = op.storage == DType::kF32 ? DType::kTf32 : op.storage;
  op[Dim::kM] = Last(out, 1);
  op[Dim::kN] = Last(out, 0);
  op[Dim::kK] = Last(left, 0);
  op[Dim::kBatch] = std::max<int64_t>(
      1, Product(out) / std::max<int64_t>(1, op[Dim::kM] * op[Dim::kN]));
  return op;
}

// An operation that streams its tensors.
Operation Streaming(OpKind kind, const BodyPointer& in,
                    const BodyPointer& out) {
  Operation op{.kind = kind, .storage = TypeOf(in), .math = TypeOf(in)};
  op[Dim::kElementsIn] = Product(DimsOf(in));
  op[Dim::kElementsOut] = Product(DimsOf(out));
  return op;
}

Operation Norm(const BackendBody& node, bool backward) {
  const BodyPointer x =
      node.Body(backward ? CUDNN_ATTR_OPERATION_NORM_BWD_XDESC
                         : CUDNN_ATTR_OPERATION_NORM_FWD_XDESC);
  Operation op =
      Streaming(backward ? OpKind::kNormBackward : OpKind::kNormForward, x, x);
  if (backward) op[Dim::kElementsIn] *= 2;  // x and dy
  const int mode =
      node.Value<int32_t>(backward ? CUDNN_ATTR_OPERATION_NORM_BWD_MODE
                                   : CUDNN_ATTR_OPERATION_NORM_FWD_MODE,
                          CUDNN_BATCH_NORM);
  const Dims dims = DimsOf(x);
  switch (mode) {
    case CUDNN_BATCH_NORM: op[Dim::kRows] = At(dims, 1); break;
    case CUDNN_INSTANCE_NORM: op[Dim::kRows] = At(dims, 0) * At(dims, 1); break;
    default: op[Dim::kRows] = At(dims, 0); break;
  }
  return op;
}

// What is neither product nor convolution, by decreasing weight.
Operation Rest(const Nodes& nodes) {
  if (const auto n =
          nodes.First(CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR)) {
    return Norm(*n, false);
  }
  if (const auto n =
          nodes.First(CUDNN_BACKEND_OPERATION_NORM_BACKWARD_DESCRIPTOR)) {
    return Norm(*n, true);
  }
  if (const auto n =
          nodes.First(CUDNN_BACKEND_OPERATION_RESAMPLE_FWD_DESCRIPTOR)) {
    return Streaming(OpKind::kPoolForward,
                     n->Body(CUDNN_ATTR_OPERATION_RESAMPLE_FWD_XDESC),
                     n->Body(CUDNN_ATTR_OPERATION_RESAMPLE_FWD_YDESC));
  }
  if (const auto n =
          nodes.First(CUDNN_BACKEND_OPERATION_RESAMPLE_BWD_DESCRIPTOR)) {
    return Streaming(OpKind::kPoolBackward,
                     n->Body(CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DYDESC),
                     n->Body(CUDNN_ATTR_OPERATION_RESAMPLE_BWD_DXDESC));
  }
  if (const auto n =
          nodes.First(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR)) {
    return Streaming(OpKind::kReduction,
                     n->Body(CUDNN_ATTR_OPERATION_REDUCTION_XDESC),
                     n->Body(CUDNN_ATTR_OPERATION_REDUCTION_YDESC));
  }
  if (const auto n =
          nodes.First(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR)) {
    const BodyPointer x = n->Body(CUDNN_ATTR_OPERATION_POINTWISE_XDESC);
    const BodyPointer y = n->Body(CUDNN_ATTR_OPERATION_POINTWISE_YDESC);
    return Streaming(OpKind::kPointwise, x, y == nullptr ? x : y);
  }
  if (const auto n = nodes.First(CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR)) {
    return Streaming(OpKind::kLayout,
                     n->Body(CUDNN_ATTR_OPERATION_RESHAPE_XDESC),
                     n->Body(CUDNN_ATTR_OPERATION_RESHAPE_YDESC));
  }
  return {};
}

Nodes NodesOf(const BackendBody& graph) {
  Nodes nodes;
  if (const auto* ops = graph.Find(CUDNN_ATTR_OPERATIONGRAPH_OPS)) {
    nodes.all = ops->bodies;
    std::erase(nodes.all, nullptr);
  }
  return nodes;
}

struct ConvTensors {
  int type;
  cudnnBackendAttributeName_t x;
  cudnnBackendAttributeName_t y;
};
constexpr ConvTensors kConvTensors[] = {
    {kConvForward, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y},
    {kConvData, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY},
    {kConvFilter, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY}};

// Points of a channel lie side by side. (One channel or one point is both.)
bool IsNchw(const BodyPointer& tensor) {
  if (tensor == nullptr) return false;
  const Dims dims = DimsOf(tensor);
  const Dims strides = tensor->Values<int64_t>(CUDNN_ATTR_TENSOR_STRIDES);
  return dims.size() > 2 && strides.size() == dims.size() && dims[1] > 1 &&
         strides[1] != 1;
}

}  // namespace

double NchwBytes(const BackendBody& graph) {
  const Nodes nodes = NodesOf(graph);
  for (const auto& [type, x, y] : kConvTensors) {
    const auto node = nodes.First(type);
    if (node == nullptr) continue;
    double bytes = 0;
    for (const auto name : {x, y}) {
      const BodyPointer tensor = node->Body(name);
      if (!IsNchw(tensor)) continue;
      bytes += static_cast<double>(Product(DimsOf(tensor))) *
               opmodel::BitsOf(TypeOf(tensor)) / 8.0;
    }
    return bytes;
  }
  return 0;
}

Operation DecodeGraph(const BackendBody& graph) {
  const Nodes nodes = NodesOf(graph);
  if (const auto n = nodes.First(CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR)) {
    return Sdpa(*n, false);
  }
  if (const auto n = nodes.First(CUDNN_BACKEND_OPERATION_SDPA_BWD_DESCRIPTOR)) {
    return Sdpa(*n, true);
  }
  const auto products = nodes.Of(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
  if (products.size() >= 2) return CompositeAttention(nodes, products);
  for (const int type : {kConvForward, kConvData, kConvFilter}) {
    if (const auto n = nodes.First(type)) return ConvOf(*n);
  }
  if (!products.empty()) return Matmul(*products.front());
  return Rest(nodes);
}

}  // namespace dltap::simgpu

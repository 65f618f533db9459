// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/tagging/cudnn_nodes.h"

#include <cudnn_graph.h>

namespace dltap::shim::tagging {
namespace {

using opmodel::Dim;
using opmodel::Operation;
using opmodel::OpKind;

struct AttributeSlot {
  uint8_t type;
  uint8_t slot;
  int16_t name;
};

// Types and attributes by number: what an older cudnn_graph.h does not name is
// still decoded. Names stand in cudnn_graph.h under these values.
constexpr AttributeSlot kAttributeSlots[] = {
    {10, CudnnNode::kX, 704},  // convolution forward: X, W, Y
    {10, CudnnNode::kW, 703},
    {10, CudnnNode::kY, 705},
    {12, CudnnNode::kX, 710},  // backward data: DX, W, DY
    {12, CudnnNode::kW, 709},
    {12, CudnnNode::kY, 711},
    {11, CudnnNode::kX, 716},  // backward filter: X, DW, DY
    {11, CudnnNode::kW, 715},
    {11, CudnnNode::kY, 717},
    {13, CudnnNode::kX, 751},  // pointwise: X, B, Y, T; backward: X, DY, DX
    {13, CudnnNode::kW, 752},
    {13, CudnnNode::kY, 753},
    {13, CudnnNode::kW, 757},
    {13, CudnnNode::kY, 756},
    {13, CudnnNode::kExtra, 758},
    {14, CudnnNode::kX, 772},  // statistics: X, sum
    {14, CudnnNode::kY, 773},
    {19, CudnnNode::kX, 1520},  // matmul: A, B, C
    {19, CudnnNode::kW, 1521},
    {19, CudnnNode::kY, 1522},
    {20, CudnnNode::kX, 782},  // batch-norm finalize: sum, equivalent scale
    {20, CudnnNode::kY, 792},
    {22, CudnnNode::kX, 1610},  // reduction: X, Y
    {22, CudnnNode::kY, 1611},
    {23, CudnnNode::kX, 1624},  // batch-norm backward weights: X, DY, dscale
    {23, CudnnNode::kW, 1625},
    {23, CudnnNode::kY, 1626},
    {25, CudnnNode::kX, 1710},  // resample forward: X, Y
    {25, CudnnNode::kY, 1711},
    {26, CudnnNode::kX, 1721},  // resample backward: DY, DX
    {26, CudnnNode::kY, 1720},
    {27, CudnnNode::kY, 1803},  // concatenation: output
    {28, CudnnNode::kX, 1903},  // signal: X, Y
    {28, CudnnNode::kY, 1904},
    {29, CudnnNode::kX, 2002},  // norm forward: X, scale, Y
    {29, CudnnNode::kW, 2005},
    {29, CudnnNode::kY, 2013},
    {30, CudnnNode::kX, 2101},  // norm backward: X, scale, DX, DY
    {30, CudnnNode::kW, 2105},
    {30, CudnnNode::kY, 2109},
    {30, CudnnNode::kExtra, 2104},
    {31, CudnnNode::kX, 2200},  // reshape: X, Y
    {31, CudnnNode::kY, 2201},
    {33, CudnnNode::kY, 2310},  // random numbers: Y
    {35, CudnnNode::kX, 1950},  // paged cache load: container, Y
    {35, CudnnNode::kY, 1951},
    {36, CudnnNode::kX, 2500},  // block-scale quantize, dequantize: X, Y
    {36, CudnnNode::kY, 2501},
    {37, CudnnNode::kX, 2600},
    {37, CudnnNode::kY, 2602},
    {39, CudnnNode::kX, 2250},  // expand, contract band matrix: X, Y
    {39, CudnnNode::kY, 2251},
    {40, CudnnNode::kX, 2270},
    {40, CudnnNode::kY, 2271},
    {41, 0, 2800},  // attention forward: Q, K, V, O
    {41, 1, 2801},
    {41, 2, 2802},
    {41, 3, 2803},
    {42, CudnnNode::kX, 2902},  // grouped matmul: tokens, weights, output
    {42, CudnnNode::kW, 2903},
    {42, CudnnNode::kY, 2905},
    {43, 0, 2851},  // attention backward: Q, K, V, O
    {43, 1, 2852},
    {43, 2, 2853},
    {43, 3, 2854},
};

void FillElements(const CudnnNode& node, Operation* op) {
  int64_t in = node.concat_elements;
  in += node.tensors[CudnnNode::kX].elements();
  in += node.tensors[CudnnNode::kW].elements();
  in += node.tensors[CudnnNode::kExtra].elements();
  (*op)[Dim::kElementsIn] = in;
  (*op)[Dim::kElementsOut] = node.tensors[CudnnNode::kY].elements();
}

void FillMatmul(const CudnnNode& node, Operation* op) {
  const TensorShape& a = node.tensors[CudnnNode::kX];
  const TensorShape& c = node.tensors[CudnnNode::kY];
  const int64_t m = c[-2], n = c[-1];
  if (m <= 0 || n <= 0) return;
  (*op)[Dim::kM] = m;
  (*op)[Dim::kN] = n;
  (*op)[Dim::kK] = a[-1];
  (*op)[Dim::kBatch] = c.elements() / (m * n);
  // Products of an attention are batched over batch and heads; which is which
  // only these axes tell.
  if (c.rank == 4) {
    (*op)[Dim::kHeads] = c[1];
    (*op)[Dim::kKvHeads] = node.tensors[CudnnNode::kW][1];
  }
}

// Tokens [.., tokens, hidden] times the weights of their expert
// [experts, hidden, out]: as many operations as one dense product.
void FillGroupedMatmul(const CudnnNode& node, Operation* op) {
  const TensorShape& tokens = node.tensors[CudnnNode::kX];
  const int64_t hidden = tokens[-1];
  if (hidden <= 0) return;
  (*op)[Dim::kBatch] = 1;
  (*op)[Dim::kM] = tokens.elements() / hidden;
  (*op)[Dim::kN] = node.tensors[CudnnNode::kY][-1];
  (*op)[Dim::kK] = hidden;
}

// Never reads the last two axes of K: cudnn-frontend passes it transposed.
void FillAttention(const CudnnNode& node, Operation* op) {
  const TensorShape& q = node.tensors[0];
  const TensorShape& k = node.tensors[1];
  const TensorShape& v = node.tensors[2];
  (*op)[Dim::kBatch] = q[0];
  (*op)[Dim::kHeads] = q[1];
  (*op)[Dim::kSeqQ] = q[2];
  (*op)[Dim::kHeadDim] = q[3];
  (*op)[Dim::kKvHeads] = k[1];
  (*op)[Dim::kSeqKv] = v[2];
  (*op)[Dim::kHeadDimV] = v[3];
}

// Rows: independent sets of statistics. How many groups a group norm has, no
// attribute of it says.
void FillNorm(const CudnnNode& node, Operation* op) {
  FillElements(node, op);
  const TensorShape& x = node.tensors[CudnnNode::kX];
  const TensorShape& scale = node.tensors[CudnnNode::kW];
  const int64_t scales = scale.elements();
  const bool per_channel =
      node.type == 20 || node.type == 23 || node.mode == CUDNN_BATCH_NORM;
  if (per_channel) {
    (*op)[Dim::kRows] = x[1];
  } else if (node.mode == CUDNN_INSTANCE_NORM) {
    (*op)[Dim::kRows] = x[0] * x[1];
  } else if (scales > 0 && node.mode != CUDNN_GROUP_NORM) {
    // An adaptive norm has scales for each element of the batch.
    const int64_t sets = node.mode == CUDNN_ADA_LAYER_NORM ? scale[0] : 1;
    (*op)[Dim::kRows] = x.elements() / scales * sets;
  }
}

OpKind PointwiseKind(int32_t mode) {
  if (mode >= 100 && mode < 200) return OpKind::kActivationForward;
  if (mode >= 200 && mode < 300) return OpKind::kActivationBackward;
  return OpKind::kPointwise;
}

OpKind KindOf(const CudnnNode& node) {
  switch (node.type) {
    case 10: return OpKind::kConvForward;
    case 11: return OpKind::kConvBackwardWeight;
    case 12: return OpKind::kConvBackwardData;
    case 13: return PointwiseKind(node.mode);
    case 14:
    case 22: return OpKind::kReduction;
    case 19:
    case 42: return OpKind::kGemm;
    case 20:
    case 29: return OpKind::kNormForward;
    case 23:
    case 30: return OpKind::kNormBackward;
    case 25: return OpKind::kPoolForward;
    case 26: return OpKind::kPoolBackward;
    case 27:
    case 31:
    case 35:
    case 39:
    case 40: return OpKind::kLayout;
    case 28: return OpKind::kCopy;
    case 33: return OpKind::kRng;
    case 36:
    case 37: return OpKind::kPointwise;
    case 41: return OpKind::kAttentionForward;
    case 43: return OpKind::kAttentionBackward;
    default: return OpKind::kUnknown;
  }
}

}  // namespace

bool IsCudnnOperation(int32_t type) {
  switch (type) {
    case CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR:
    case CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR:
    case CUDNN_BACKEND_TENSOR_DESCRIPTOR:
    case CUDNN_BACKEND_MATMUL_DESCRIPTOR:
    case CUDNN_BACKEND_REDUCTION_DESCRIPTOR:
    case CUDNN_BACKEND_RESAMPLE_DESCRIPTOR:
    case CUDNN_BACKEND_RNG_DESCRIPTOR:
    case 34:  // kernel cache
    case 38:  // device properties
      return false;
    default:
      // Types of later releases are taken for operations: their graphs then
      // have an unknown node instead of missing one.
      return type >= 10;
  }
}

uint8_t SlotOfAttribute(uint8_t type, int32_t name) {
  for (const AttributeSlot& known : kAttributeSlots) {
    if (known.type == type && known.name == name) return known.slot;
  }
  return CudnnNode::kSlots;
}

void PlaceTensor(const CudnnTensor& tensor, uint8_t slot, CudnnNode& node) {
  node.tensors[slot] = tensor.shape;
  node.uids[slot] = tensor.uid;
  const bool is_placed =
      tensor.has_uid && !tensor.is_virtual && !tensor.is_by_value;
  const auto bit = static_cast<uint8_t>(1u << slot);
  node.placed =
      static_cast<uint8_t>(is_placed ? node.placed | bit : node.placed & ~bit);
}

Operation OperationOf(const CudnnNode& node) {
  Operation op;
  op.kind = KindOf(node);
  const TensorShape& x = node.tensors[CudnnNode::kX];
  op.storage = x.rank > 0 ? x.type : node.tensors[CudnnNode::kY].type;
  op.math = node.compute;
  switch (node.type) {
    case 10:
    case 11:
    case 12:
      FillConvolution(x, node.tensors[CudnnNode::kW],
                      node.tensors[CudnnNode::kY], &op);
      break;
    case 19: FillMatmul(node, &op); break;
    case 41:
    case 43: FillAttention(node, &op); break;
    case 42: FillGroupedMatmul(node, &op); break;
    case 20:
    case 23:
    case 29:
    case 30: FillNorm(node, &op); break;
    default: FillElements(node, &op); return op;
  }
  if (node.type != 20 && node.type != 23 && node.type != 29 &&
      node.type != 30) {
    op.math = MathTypeOfCudnn(op.storage, node.compute);
  }
  return op;
}

}  // namespace dltap::shim::tagging

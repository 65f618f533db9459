// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/operands/operand_elements.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "opmodel/rnn_shape.h"

namespace dltap::analyzer {
namespace {

using opmodel::Dim;
using opmodel::Operation;
using opmodel::OpKind;

// 0: one of the factors is not known.
double Product(const Operation& op, std::initializer_list<Dim> dims) {
  double elements = 1;
  for (const Dim dim : dims) elements *= static_cast<double>(op[dim]);
  return elements;
}

double AtLeastOne(int64_t value) {
  return static_cast<double>(std::max<int64_t>(value, 1));
}

double ElementsOfGemm(const Operation& op, Meaning role) {
  switch (role) {
    case Meaning::kPointerA:
      return Product(op, {Dim::kBatch, Dim::kM, Dim::kK});
    case Meaning::kPointerB:
      return Product(op, {Dim::kBatch, Dim::kK, Dim::kN});
    case Meaning::kPointerC:
    case Meaning::kPointerD:
      return Product(op, {Dim::kBatch, Dim::kM, Dim::kN});
    default: return 0;
  }
}

double ElementsOfConv(const Operation& op, Meaning role) {
  switch (role) {
    case Meaning::kPointerX:
    case Meaning::kPointerDx:
      return Product(op, {Dim::kBatch, Dim::kChannelsIn, Dim::kHeightIn,
                          Dim::kWidthIn}) *
             AtLeastOne(op[Dim::kDepthIn]);
    case Meaning::kPointerY:
    case Meaning::kPointerDy:
      return Product(op, {Dim::kBatch, Dim::kChannelsOut, Dim::kHeightOut,
                          Dim::kWidthOut}) *
             AtLeastOne(op[Dim::kDepthOut]);
    case Meaning::kPointerW:
    case Meaning::kPointerDw:
      return Product(op, {Dim::kChannelsIn, Dim::kChannelsOut,
                          Dim::kFilterHeight, Dim::kFilterWidth}) *
             AtLeastOne(op[Dim::kFilterDepth]) / AtLeastOne(op[Dim::kGroups]);
    default: return 0;
  }
}

// Matrices and both biases of every gate, as cuDNN packs them.
double WeightsOfRnn(const opmodel::RnnShape& shape) {
  double elements = 0;
  for (int64_t layer = 0; layer < shape.layers; ++layer) {
    elements += shape.gates * shape.hidden *
                (shape.LayerInput(layer) + shape.recurrent + 2);
    elements += shape.proj * shape.hidden;
  }
  return elements * static_cast<double>(shape.directions);
}

double ElementsOfRnn(const Operation& op, Meaning role) {
  const auto shape = opmodel::RnnShapeOf(op);
  if (!shape) return 0;
  switch (role) {
    case Meaning::kPointerX:
    case Meaning::kPointerDx: return shape->rows * shape->input;
    case Meaning::kPointerY:
    case Meaning::kPointerDy:
      return shape->rows * shape->recurrent *
             static_cast<double>(shape->directions);
    case Meaning::kPointerW:
    case Meaning::kPointerDw: return WeightsOfRnn(*shape);
    default: return 0;
  }
}

// All their tensors have one shape; they read two.
bool IsOfOneShape(OpKind kind) {
  return kind == OpKind::kSoftmaxBackward || kind == OpKind::kNormBackward ||
         kind == OpKind::kActivationBackward;
}

double ElementsOfRest(const Operation& op, Meaning role) {
  const auto out = static_cast<double>(op[Dim::kElementsOut]);
  const auto in = IsOfOneShape(op.kind) && out > 0
                      ? out
                      : static_cast<double>(op[Dim::kElementsIn]);
  switch (role) {
    case Meaning::kPointerX:
    case Meaning::kPointerDx:
    case Meaning::kPointerSend: return in > 0 ? in : out;
    case Meaning::kPointerY:
    case Meaning::kPointerDy:
    case Meaning::kPointerReceive: return out > 0 ? out : in;
    default: return 0;  // scales and biases: small, of unknown size
  }
}

double ElementsOfAttention(const Operation& op, Meaning argument) {
  switch (argument) {
    case Meaning::kPointerNodeX:  // Q
      return Product(op, {Dim::kBatch, Dim::kHeads, Dim::kSeqQ, Dim::kHeadDim});
    case Meaning::kPointerNodeW:  // K
      return Product(op,
                     {Dim::kBatch, Dim::kKvHeads, Dim::kSeqKv, Dim::kHeadDim});
    case Meaning::kPointerNodeY:  // V
      return Product(op,
                     {Dim::kBatch, Dim::kKvHeads, Dim::kSeqKv, Dim::kHeadDimV});
    case Meaning::kPointerNodeExtra:  // O
      return Product(op,
                     {Dim::kBatch, Dim::kHeads, Dim::kSeqQ, Dim::kHeadDimV});
    default: return 0;
  }
}

// By position: x, w, y, extra.
Meaning RoleAt(Meaning argument, std::array<Meaning, 4> roles) {
  const int at =
      static_cast<int>(argument) - static_cast<int>(Meaning::kPointerNodeX);
  return at >= 0 && at < 4 ? roles[static_cast<size_t>(at)] : Meaning::kNone;
}

}  // namespace

double ElementsOf(const Operation& op, Meaning role) {
  switch (op.kind) {
    case OpKind::kGemm: return ElementsOfGemm(op, role);
    case OpKind::kConvForward:
    case OpKind::kConvBackwardData:
    case OpKind::kConvBackwardWeight: return ElementsOfConv(op, role);
    case OpKind::kRnnForward:
    case OpKind::kRnnBackwardData:
    case OpKind::kRnnBackwardWeight: return ElementsOfRnn(op, role);
    default: return ElementsOfRest(op, role);
  }
}

Meaning RoleInNode(const Operation& op, Meaning argument) {
  constexpr Meaning kNone = Meaning::kNone;
  switch (op.kind) {
    case OpKind::kConvForward:
      return RoleAt(argument, {Meaning::kPointerX, Meaning::kPointerW,
                               Meaning::kPointerY, kNone});
    case OpKind::kConvBackwardData:
      return RoleAt(argument, {Meaning::kPointerDx, Meaning::kPointerW,
                               Meaning::kPointerDy, kNone});
    case OpKind::kConvBackwardWeight:
      return RoleAt(argument, {Meaning::kPointerX, Meaning::kPointerDw,
                               Meaning::kPointerDy, kNone});
    case OpKind::kGemm:
      return RoleAt(argument, {Meaning::kPointerA, Meaning::kPointerB,
                               Meaning::kPointerC, kNone});
    case OpKind::kNormForward:
      return RoleAt(argument,
                    {Meaning::kPointerX, kNone, Meaning::kPointerY, kNone});
    case OpKind::kNormBackward:
      return RoleAt(argument, {Meaning::kPointerX, kNone, Meaning::kPointerDx,
                               Meaning::kPointerDy});
    case OpKind::kAttentionForward:
    case OpKind::kAttentionBackward: return argument;
    case OpKind::kPoolForward:
      return RoleAt(argument,
                    {Meaning::kPointerX, kNone, Meaning::kPointerY, kNone});
    // What comes in is counted with what it is combined with.
    default:
      return RoleAt(argument, {kNone, kNone, Meaning::kPointerDx, kNone});
  }
}

double ElementsOfNode(const Operation& op, Meaning argument) {
  const auto out = static_cast<double>(op[Dim::kElementsOut]);
  switch (op.kind) {
    case OpKind::kAttentionForward:
    case OpKind::kAttentionBackward: return ElementsOfAttention(op, argument);
    // Of one shape all; what comes in is counted with its scales.
    case OpKind::kNormForward:
    case OpKind::kNormBackward:
    case OpKind::kActivationBackward: return out;
    case OpKind::kConvForward:
    case OpKind::kConvBackwardData:
    case OpKind::kConvBackwardWeight:
    case OpKind::kGemm: return ElementsOf(op, RoleInNode(op, argument));
    default:
      return argument == Meaning::kPointerNodeX
                 ? static_cast<double>(op[Dim::kElementsIn])
                 : out;
  }
}

}  // namespace dltap::analyzer

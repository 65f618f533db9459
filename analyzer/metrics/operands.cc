// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/operands.h"

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "analyzer/attribution/dtype_codes.h"
#include "analyzer/attribution/op_kinds.h"
#include "opmodel/rnn_shape.h"
#include "shim/specs/entry_point.h"

namespace dltap::analyzer {
namespace {

using opmodel::Dim;
using opmodel::DType;
using opmodel::Operation;
using opmodel::OpKind;
using specs::Kind;

constexpr double kMostElements = 1e13;  // more is no tensor

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

double ElementsOfRest(const Operation& op, Meaning role) {
  const auto in = static_cast<double>(op[Dim::kElementsIn]);
  const auto out = static_cast<double>(op[Dim::kElementsOut]);
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

bool HasRole(const EntryPoint& entry, Meaning role) {
  return std::any_of(
      entry.args.begin(), entry.args.end(),
      [role](const ArgLayout& arg) { return arg.meaning == role; });
}

OperandUse UseOf(const EntryPoint& entry, const Operation& op, Meaning role) {
  const bool backward = IsBackward(DirectionOf(op.kind));
  switch (role) {
    case Meaning::kPointerC:
      return HasRole(entry, Meaning::kPointerD) ? OperandUse::kRead
                                                : OperandUse::kWrite;
    case Meaning::kPointerD:
    case Meaning::kPointerDx: return OperandUse::kWrite;
    case Meaning::kPointerY:
      return backward ? OperandUse::kRead : OperandUse::kWrite;
    case Meaning::kPointerW: return OperandUse::kWeight;
    case Meaning::kPointerDw: return OperandUse::kWeightGradient;
    case Meaning::kPointerSend:
    case Meaning::kPointerReceive: return OperandUse::kComm;
    default: return OperandUse::kRead;
  }
}

// The type of this operand, where the call tells it apart from the inputs'.
DType TypeOf(const EntryPoint& entry, const Process& process, const Call& call,
             const Operation& op, Meaning role) {
  if (role != Meaning::kPointerC || entry.info == nullptr) return op.storage;
  for (size_t i = 0; i < entry.args.size(); ++i) {
    if (entry.args[i].meaning != Meaning::kDtypeC) continue;
    if (const auto code = IntArg(entry, process, call, i)) {
      return DTypeOfDataCode(entry.info->library, *code);
    }
  }
  return op.storage;
}

// What a copy or a memset writes.
void AddWritten(const EntryPoint& entry, const Process& process,
                const Call& call, std::vector<Operand>& out) {
  int64_t bytes = 1;
  bool has_bytes = false;
  uint64_t address = 0;
  for (size_t i = 0; i < entry.args.size(); ++i) {
    const auto value = IntArg(entry, process, call, i);
    if (!value) continue;
    if (entry.args[i].meaning == Meaning::kPointerDst) address = *value;
    if (entry.args[i].meaning != Meaning::kBytes) continue;
    has_bytes = true;
    if (__builtin_mul_overflow(bytes, *value, &bytes)) bytes = 0;
  }
  if (has_bytes && bytes > 0 && address != 0) {
    out.push_back({address, bytes, OperandUse::kWrite, Meaning::kPointerDst});
  }
}

// cuBLASLt's, whose size stands beside it.
void AddWorkspace(const EntryPoint& entry, const Process& process,
                  const Call& call, std::vector<Operand>& out) {
  std::optional<int64_t> address;
  std::optional<int64_t> bytes;
  for (size_t i = 0; i < entry.args.size(); ++i) {
    if (entry.args[i].meaning == Meaning::kPointerWorkspace) {
      address = IntArg(entry, process, call, i);
    } else if (entry.args[i].name == "workspaceSizeInBytes") {
      bytes = IntArg(entry, process, call, i);
    }
  }
  if (address.value_or(0) == 0 || bytes.value_or(0) <= 0) return;
  out.push_back({static_cast<uint64_t>(*address), *bytes,
                 OperandUse::kWorkspace, Meaning::kPointerWorkspace});
}

}  // namespace

std::vector<Operand> OperandsOf(const TraceModel& model, const Process& process,
                                const Call& call, const CallMeaning* meaning) {
  std::vector<Operand> out;
  const EntryPoint& entry = model.entry_points[call.entry.value()];
  if (entry.info == nullptr) return out;
  const bool writes_only =
      entry.info->kind == Kind::kMemcpy || entry.info->kind == Kind::kMemset;
  if (writes_only) AddWritten(entry, process, call, out);
  if (writes_only || meaning == nullptr) return out;
  const Operation& op = meaning->leading;
  for (size_t i = 0; i < entry.args.size(); ++i) {
    const Meaning role = entry.args[i].meaning;
    const double elements = ElementsOf(op, role);
    if (!(elements > 0) || elements > kMostElements) continue;
    const auto address = IntArg(entry, process, call, i);
    const int bits = opmodel::BitsOf(TypeOf(entry, process, call, op, role));
    if (address.value_or(0) == 0 || bits == 0) continue;
    out.push_back({static_cast<uint64_t>(*address),
                   static_cast<int64_t>(elements * bits / 8),
                   UseOf(entry, op, role), role, bits});
  }
  AddWorkspace(entry, process, call, out);
  return out;
}

std::optional<Operand> UnplacedWeights(const CallMeaning& meaning) {
  if (meaning.class_from != ClassFrom::kCudnnGraph) return std::nullopt;
  const Operation& op = meaning.leading;
  const bool is_gradient = op.kind == OpKind::kConvBackwardWeight;
  const bool is_conv = is_gradient || op.kind == OpKind::kConvForward ||
                       op.kind == OpKind::kConvBackwardData;
  const Meaning role = is_gradient ? Meaning::kPointerDw : Meaning::kPointerW;
  const double elements = is_conv ? ElementsOfConv(op, role) : 0;
  const int bits = opmodel::BitsOf(op.storage);
  if (!(elements > 0) || elements > kMostElements || bits == 0) {
    return std::nullopt;
  }
  return Operand{
      0, static_cast<int64_t>(elements * bits / 8),
      is_gradient ? OperandUse::kWeightGradient : OperandUse::kWeight, role,
      bits};
}

}  // namespace dltap::analyzer

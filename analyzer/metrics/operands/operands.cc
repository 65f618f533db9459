// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/operands/operands.h"

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "analyzer/attribution/calls/dtype_codes.h"
#include "analyzer/attribution/calls/op_kinds.h"
#include "analyzer/metrics/operands/operand_elements.h"
#include "shim/specs/entry_point.h"

namespace dltap::analyzer {
namespace {

using opmodel::Dim;
using opmodel::DType;
using opmodel::Operation;
using opmodel::OpKind;
using specs::Kind;

constexpr double kMostElements = 1e13;  // more is no tensor

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
    case Meaning::kPointerNodeExtra:  // of attention
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

// What the call gets beside its tensors, with its size: cuBLASLt's workspace;
// others, which are cuDNN's, are theirs while the call runs.
void AddWorkspace(const EntryPoint& entry, const Process& process,
                  const Call& call, std::vector<Operand>& out) {
  int64_t address = 0;
  int64_t bytes = 0;
  int64_t reserve = 0;
  int64_t reserve_bytes = 0;
  OperandUse use = OperandUse::kScratch;
  for (size_t i = 0; i < entry.args.size(); ++i) {
    const int64_t value = IntArg(entry, process, call, i).value_or(0);
    switch (entry.args[i].meaning) {
      case Meaning::kPointerWorkspace: address = value; break;
      case Meaning::kWorkspaceBytes: bytes = value; break;
      case Meaning::kPointerReserve: reserve = value; break;
      case Meaning::kReserveBytes: reserve_bytes = value; break;
      default:
        if (entry.args[i].name != "workspaceSizeInBytes") break;
        bytes = value;
        use = OperandUse::kWorkspace;
    }
  }
  if (address != 0 && bytes > 0) {
    out.push_back({static_cast<uint64_t>(address), bytes, use,
                   Meaning::kPointerWorkspace});
  }
  if (reserve == 0 || reserve_bytes <= 0) return;
  out.push_back({static_cast<uint64_t>(reserve), reserve_bytes,
                 IsBackward(entry.info->direction) ? OperandUse::kRead
                                                   : OperandUse::kWrite,
                 Meaning::kPointerReserve});
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
    const Meaning argument = entry.args[i].meaning;
    const bool is_of_node = argument >= Meaning::kPointerNodeX &&
                            argument <= Meaning::kPointerNodeExtra;
    const Meaning role = is_of_node ? RoleInNode(op, argument) : argument;
    if (role == Meaning::kNone) continue;
    const double elements =
        is_of_node ? ElementsOfNode(op, argument) : ElementsOf(op, role);
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

std::optional<Operand> UnplacedWeights(const CallMeaning& meaning,
                                       const std::vector<Operand>& operands) {
  if (meaning.class_from != ClassFrom::kCudnnGraph) return std::nullopt;
  const bool is_placed = std::ranges::any_of(operands, [](const Operand& at) {
    return at.use == OperandUse::kWeight ||
           at.use == OperandUse::kWeightGradient;
  });
  if (is_placed) return std::nullopt;
  const Operation& op = meaning.leading;
  const bool is_gradient = op.kind == OpKind::kConvBackwardWeight;
  const bool is_conv = is_gradient || op.kind == OpKind::kConvForward ||
                       op.kind == OpKind::kConvBackwardData;
  const Meaning role = is_gradient ? Meaning::kPointerDw : Meaning::kPointerW;
  const double elements = is_conv ? ElementsOf(op, role) : 0;
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

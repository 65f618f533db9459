// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/call_meaning.h"

#include <charconv>
#include <string_view>

#include "analyzer/attribution/dtype_codes.h"
#include "shim/specs/entry_point.h"
#include "shim/specs/words.h"

namespace dltap::analyzer {
namespace {

using opmodel::Dim;
using opmodel::DType;
using opmodel::Operation;
using opmodel::OpKind;

void SetDim(Meaning meaning, int64_t value, Operation& op) {
  const int dim = static_cast<int>(meaning) - specs::kFirstDimMeaning;
  if (meaning == Meaning::kDimMK) {
    op[Dim::kM] = op[Dim::kK] = value;
  } else if (meaning == Meaning::kDimMN) {
    op[Dim::kM] = op[Dim::kN] = value;
  } else if (dim >= 0 && dim < static_cast<int>(Dim::kCount)) {
    op[static_cast<Dim>(dim)] = value;
  }
}

void SetType(Meaning meaning, DType type, Operation& op) {
  const bool all = meaning == Meaning::kDtypeAll;
  if (all || meaning == Meaning::kDtypeA) op.storage = type;
  if (all || meaning == Meaning::kDtypeCompute) op.math = type;
}

// What the entry point says by itself: "=1" of a dimension, "=f32" of a type.
void SetConstants(const specs::EntryPointInfo& info, Operation& op) {
  for (const specs::ArgumentMeaning& argument : info.arguments) {
    if (!argument.argument.starts_with('=')) continue;
    const std::string_view text = argument.argument.substr(1);
    int64_t value = 0;
    const auto* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, value);
    if (parsed.ec == std::errc() && parsed.ptr == end) {
      SetDim(argument.meaning, value, op);
    } else if (const auto type = specs::FromName<DType>(text)) {
      SetType(argument.meaning, *type, op);
    }
  }
}

void SetArguments(const TraceModel& model, const Process& process,
                  const Call& call, specs::Library library, Operation& op) {
  const EntryPoint& entry = model.entry_points[call.entry.value()];
  for (size_t i = 0; i < entry.args.size(); ++i) {
    const Meaning meaning = entry.args[i].meaning;
    const auto value = IntArg(entry, process, call, i);
    if (!value) continue;
    SetDim(meaning, *value, op);
    SetType(meaning,
            meaning == Meaning::kDtypeCompute
                ? DTypeOfComputeCode(library, *value)
                : DTypeOfDataCode(library, *value),
            op);
  }
}

OpKind KindOf(LayerClass layer_class, Direction direction) {
  for (int kind = 1; kind < specs::Words<OpKind>::kCount; ++kind) {
    const OpKind candidate = static_cast<OpKind>(kind);
    if (ClassOf(candidate) == layer_class &&
        DirectionOf(candidate) == direction) {
      return candidate;
    }
  }
  return OpKind::kUnknown;
}

}  // namespace

std::optional<CallMeaning> MeaningOf(const TraceModel& model,
                                     const Process& process, const Call& call) {
  const specs::EntryPointInfo* info =
      model.entry_points[call.entry.value()].info;
  if (call.operation.known()) {
    CallMeaning meaning = MeaningOf(model.operations[call.operation.value()]);
    const bool is_plan =
        info != nullptr && info->kind == specs::Kind::kCudnnExecute;
    if (is_plan) meaning.class_from = ClassFrom::kCudnnGraph;
    meaning.autotune = info != nullptr && info->autotune;
    return meaning;
  }
  if (info == nullptr || !info->layer_class) return std::nullopt;
  if (IsCopyOrMemset(*info->layer_class)) return std::nullopt;
  CallMeaning meaning{
      *info->layer_class, info->direction, ClassFrom::kApiArguments, {},
      std::nullopt,       info->autotune};
  Operation& op = meaning.leading;
  op.kind = KindOf(meaning.layer_class, meaning.direction);
  SetConstants(*info, op);
  SetArguments(model, process, call, info->library, op);
  if (op.kind == OpKind::kGemm && op[Dim::kBatch] == 0) op[Dim::kBatch] = 1;
  op.math = MathOf(op.storage, op.math);
  meaning.cost = opmodel::CostOf(meaning.leading);
  return meaning;
}

}  // namespace dltap::analyzer

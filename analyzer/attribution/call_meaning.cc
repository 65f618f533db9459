// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/call_meaning.h"

#include <charconv>
#include <string_view>

#include "analyzer/attribution/dtype_codes.h"
#include "shim/specs/entry_point.h"

namespace dltap::analyzer {
namespace {

using opmodel::Dim;
using opmodel::Operation;
using opmodel::OpKind;

// "m" -> the argument m; "=1" -> 1; "width*height" -> their product.
std::optional<int64_t> Evaluate(const TraceModel& model, const Process& process,
                                const Call& call, std::string_view expression) {
  if (expression.starts_with('=')) {
    int64_t value = 0;
    const auto* end = expression.data() + expression.size();
    const auto parsed = std::from_chars(expression.data() + 1, end, value);
    if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
    return value;
  }
  int64_t product = 1;
  while (true) {
    const size_t star = expression.find('*', 1);
    const auto factor =
        IntArg(model, process, call, expression.substr(0, star));
    if (!factor) return std::nullopt;
    product *= *factor;
    if (star == std::string_view::npos) return product;
    expression.remove_prefix(star + 1);
  }
}

struct DimName {
  std::string_view meaning;
  Dim dim;
};

constexpr DimName kDimNames[] = {
    {"batch", Dim::kBatch},
    {"m", Dim::kM},
    {"n", Dim::kN},
    {"k", Dim::kK},
    {"elements_in", Dim::kElementsIn},
    {"elements_out", Dim::kElementsOut},
    {"rows", Dim::kRows},
    {"seq", Dim::kSeq},
};

void SetDims(const TraceModel& model, const Process& process, const Call& call,
             const specs::EntryPointInfo& info, Operation& op) {
  for (const specs::ArgumentMeaning& dim : info.dims) {
    for (const DimName& name : kDimNames) {
      if (name.meaning != dim.meaning) continue;
      if (auto value = Evaluate(model, process, call, dim.argument)) {
        op[name.dim] = *value;
      }
    }
  }
  if (op.kind == OpKind::kGemm && op[Dim::kBatch] == 0) op[Dim::kBatch] = 1;
}

void SetTypes(const TraceModel& model, const Process& process, const Call& call,
              const specs::EntryPointInfo& info, Operation& op) {
  for (const specs::ArgumentMeaning& dtype : info.dtypes) {
    const bool is_math = dtype.meaning == "compute" || dtype.meaning == "math";
    opmodel::DType type = opmodel::DType::kUnknown;
    if (dtype.argument.starts_with('=')) {
      type = DTypeOfSpecName(dtype.argument.substr(1));
    } else if (auto code = IntArg(model, process, call, dtype.argument)) {
      type = is_math ? DTypeOfComputeCode(info.library, *code)
                     : DTypeOfDataCode(info.library, *code);
    }
    if (dtype.meaning == "a" || dtype.meaning == "all" ||
        dtype.meaning == "data") {
      op.storage = type;
    }
    if (is_math || dtype.meaning == "all") op.math = type;
  }
  op.math = MathOf(op.storage, op.math);
}

OpKind KindOf(LayerClass layer_class, Direction direction) {
  for (int kind = 1; kind <= static_cast<int>(OpKind::kOptimizer); ++kind) {
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
  if (info == nullptr || info->layer_class.empty()) return std::nullopt;
  const auto layer_class = LayerClassFromName(info->layer_class);
  if (!layer_class || IsCopyOrMemset(*layer_class)) return std::nullopt;
  const Direction direction =
      DirectionFromName(info->direction).value_or(Direction::kNone);
  CallMeaning meaning{*layer_class, direction,    ClassFrom::kApiArguments,
                      {},           std::nullopt, info->autotune};
  meaning.leading.kind = KindOf(*layer_class, direction);
  SetDims(model, process, call, *info, meaning.leading);
  SetTypes(model, process, call, *info, meaning.leading);
  meaning.cost = opmodel::CostOf(meaning.leading);
  return meaning;
}

}  // namespace dltap::analyzer

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/calls/call_meaning.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "analyzer/attribution/calls/dtype_codes.h"
#include "analyzer/attribution/calls/op_kinds.h"
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
  if (meaning == Meaning::kTransposedA) {
    op[Dim::kTransA] = value != 0;
  } else if (meaning == Meaning::kTransposedB) {
    op[Dim::kTransB] = value != 0;
  } else if (meaning == Meaning::kDimMK) {
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

// Lower leads. Classes not named here follow in the order of LayerClass.
int Rank(LayerClass layer_class) {
  switch (layer_class) {
    case LayerClass::kConv: return 0;
    case LayerClass::kAttention: return 1;
    case LayerClass::kGemm: return 2;
    case LayerClass::kNorm: return 3;
    default: return 4 + static_cast<int>(layer_class);
  }
}

bool IsProduct(const Operation& op) { return op.kind == OpKind::kGemm; }

// Whether the result of one product may, value by value, be an operand of the
// other: by its dimensions, where they are known.
bool MayFeed(const Operation& from, const Operation& to) {
  const int64_t m = from[Dim::kM];
  const int64_t n = from[Dim::kN];
  if (m == 0 || n == 0 || to[Dim::kK] == 0) return true;
  const auto is_operand = [&](Dim rows) {
    return (to[Dim::kK] == m && to[rows] == n) ||
           (to[Dim::kK] == n && to[rows] == m);
  };
  return is_operand(Dim::kM) || is_operand(Dim::kN);
}

// S = QK', softmax(S), SV, or the backward pass of that: products of which one
// feeds another, and a softmax's reductions and pointwise work in the same
// graph, in any order. Backward, a reduction (of O dO) comes first of all.
bool IsCompositeAttention(const OperationNodes& nodes) {
  bool reduces = false;
  bool feeds = false;
  for (const Operation& op : nodes) {
    reduces |= op.kind == OpKind::kReduction ||
               op.kind == OpKind::kSoftmaxForward ||
               op.kind == OpKind::kSoftmaxBackward;
    if (!IsProduct(op) || feeds) continue;
    feeds = std::any_of(nodes.begin(), nodes.end(), [&](const Operation& to) {
      return &to != &op && IsProduct(to) && MayFeed(op, to);
    });
  }
  return reduces && feeds;
}

// Forward there are two products (three with a product of positions); backward
// computes S and dS again and the gradients of Q, K and V: five, or four with
// S stored.
Direction DirectionOfAttention(const OperationNodes& nodes) {
  const auto products = std::count_if(nodes.begin(), nodes.end(), IsProduct);
  return products >= 4 ? Direction::kBackward : Direction::kForward;
}

// A comparison of two tensors of positions, row against column: a diagonal
// mask. (A mask of padding compares one with a length per row.) One of them is
// causal, two are a window, of a width that is not known.
std::ptrdiff_t DiagonalMasks(const OperationNodes& nodes) {
  return std::count_if(nodes.begin(), nodes.end(), [](const Operation& op) {
    return op.kind == OpKind::kPointwise && op.storage == DType::kI32 &&
           op.math == DType::kBool && op[Dim::kElementsOut] > 0 &&
           op[Dim::kElementsIn] == 2 * op[Dim::kElementsOut];
  });
}

// The arithmetic of all nodes; nullopt: no node's is known. Where there are
// products, theirs alone: a fused bias or softmax counts as little as one with
// a kernel of its own does in the product's class. Of causal attention half of
// the products are asked for.
std::optional<double> FlopsOf(const OperationNodes& nodes, bool attention) {
  const auto masks = attention ? DiagonalMasks(nodes) : 0;
  if (masks > 1) return std::nullopt;
  const auto multiplies = [](const Operation& node) {
    const LayerClass of = ClassOf(node.kind);
    return of == LayerClass::kGemm || of == LayerClass::kConv;
  };
  const bool products = std::ranges::any_of(nodes, multiplies);
  double flops = 0;
  for (const Operation& node : nodes) {
    const auto cost = opmodel::CostOf(node);
    if (!cost || (products && !multiplies(node))) continue;
    flops += masks == 1 ? cost->flops / 2 : cost->flops;
  }
  return flops;
}

}  // namespace

CallMeaning MeaningOf(const OperationNodes& nodes) {
  CallMeaning meaning{LayerClass::kOther,
                      Direction::kNone,
                      ClassFrom::kApiArguments,
                      {},
                      std::nullopt,
                      false};
  if (nodes.empty()) return meaning;
  const auto leading = std::min_element(
      nodes.begin(), nodes.end(),
      [](const opmodel::Operation& a, const opmodel::Operation& b) {
        return Rank(ClassOf(a.kind)) < Rank(ClassOf(b.kind));
      });
  meaning.leading = *leading;
  meaning.layer_class = ClassOf(leading->kind);
  meaning.direction = DirectionOf(leading->kind);
  if (meaning.layer_class == LayerClass::kGemm && IsCompositeAttention(nodes)) {
    meaning.layer_class = LayerClass::kAttention;
    meaning.direction = DirectionOfAttention(nodes);
  }
  // A fused graph moves only what enters and leaves; the leading node's traffic
  // stands for that.
  const bool is_composed = meaning.layer_class == LayerClass::kAttention &&
                           IsProduct(meaning.leading);
  const std::optional<double> flops = FlopsOf(nodes, is_composed);
  if (flops) meaning.cost = opmodel::CostOf(*leading);
  if (meaning.cost) meaning.cost->flops = *flops;
  return meaning;
}

bool ArgumentsTell(const EntryPoint& entry) {
  return entry.info != nullptr && entry.info->layer_class &&
         !IsCopyOrMemset(*entry.info->layer_class);
}

std::optional<CallMeaning> MeaningOf(const TraceModel& model,
                                     const Process& process, const Call& call) {
  const EntryPoint& entry = model.entry_points[call.entry.value()];
  const specs::EntryPointInfo* info = entry.info;
  if (call.operation.known()) {
    CallMeaning meaning = MeaningOf(model.operations[call.operation.value()]);
    const bool is_plan =
        info != nullptr && info->kind == specs::Kind::kCudnnExecute;
    if (is_plan) meaning.class_from = ClassFrom::kCudnnGraph;
    meaning.autotune = info != nullptr && info->autotune;
    return meaning;
  }
  if (!ArgumentsTell(entry)) return std::nullopt;
  CallMeaning meaning{
      *info->layer_class, info->direction, ClassFrom::kApiArguments, {},
      std::nullopt,       info->autotune};
  Operation& op = meaning.leading;
  op.kind = info->op_kind != OpKind::kUnknown
                ? info->op_kind
                : KindOf(meaning.layer_class, meaning.direction);
  SetConstants(*info, op);
  SetArguments(model, process, call, info->library, op);
  if (op.kind == OpKind::kGemm && op[Dim::kBatch] == 0) op[Dim::kBatch] = 1;
  op.math = MathOf(op.storage, op.math);
  meaning.cost = opmodel::CostOf(meaning.leading);
  return meaning;
}

}  // namespace dltap::analyzer

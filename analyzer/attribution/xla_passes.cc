// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/xla_passes.h"

namespace dltap::analyzer {
namespace {

bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

XlaPasses::XlaPasses(const TraceModel& model, const Process& process,
                     const RangeIndex& ranges)
    : model_(model), process_(process), ranges_(ranges) {
  absl::flat_hash_map<size_t, Pass> by_name;
  for (size_t i = 0; i < process.ranges.size(); ++i) {
    const TextId name = process.ranges[i].name;
    const auto [it, is_new] = by_name.try_emplace(name.value(), Pass::kNoPath);
    if (is_new) it->second = PassOf(model.texts[name]);
    const Pass pass = it->second;
    if (pass == Pass::kNoPath) continue;
    passes_.resize(process.ranges.size(), Pass::kNoPath);
    passes_[i] = pass;
    differentiates_ |= pass != Pass::kPlain && pass != Pass::kCommon;
    if (pass != Pass::kBackward) continue;
    first_backward_.try_emplace(ModuleOf(RangeId(i)),
                                process.ranges[i].begin_ns);
  }
}

XlaPasses::Pass XlaPasses::PassOf(std::string_view name) {
  constexpr std::string_view kBegin = "Thunk:#name=";
  constexpr std::string_view kEnd = ",hlo_op=";
  if (!name.starts_with(kBegin)) return Pass::kNoPath;
  name.remove_prefix(kBegin.size());
  name = name.substr(0, name.rfind(kEnd));
  if (Has(name, "rematted_computation")) return Pass::kRecompute;
  if (Has(name, "transpose(")) return Pass::kBackward;
  if (Has(name, "jvp(")) return Pass::kForward;
  if (!name.starts_with("jit(")) return Pass::kNoPath;  // an argument
  return name.ends_with(')') ? Pass::kCommon : Pass::kPlain;
}

size_t XlaPasses::ModuleOf(RangeId range) const {
  for (RangeId id = range; id.known(); id = ranges_.ParentOf(id)) {
    const TextId name = process_.ranges[id.value()].name;
    if (model_.texts[name].starts_with("XlaModule:")) return id.value();
  }
  return range.value();
}

Direction XlaPasses::Of(RangeId range) const {
  if (!any() || !range.known()) return Direction::kNone;
  switch (passes_[range.value()]) {
    case Pass::kForward: return Direction::kForward;
    case Pass::kBackward: return Direction::kBackward;
    case Pass::kRecompute: return Direction::kRecompute;
    case Pass::kNoPath:
    case Pass::kCommon: return Direction::kNone;
    case Pass::kPlain: break;
  }
  const auto it = first_backward_.find(ModuleOf(range));
  const bool uses_gradients =
      it != first_backward_.end() &&
      process_.ranges[range.value()].begin_ns > it->second;
  return uses_gradients ? Direction::kUpdate : Direction::kNone;
}

Direction SettledDirection(Direction by_path, Direction by_call) {
  const bool both_backward = IsBackward(by_path) && IsBackward(by_call);
  return by_path == Direction::kNone || both_backward ? by_call : by_path;
}

}  // namespace dltap::analyzer

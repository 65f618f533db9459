// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/xla/xla_passes.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace dltap::analyzer {
namespace {

bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool IsDifferentiated(std::string_view path) {
  return Has(path, "transpose(") || Has(path, "jvp(");
}

bool IsSum(std::string_view path) { return path.ends_with("/add"); }

// Whether a library of optimizers called for it. Optax has losses, too.
bool IsOfAnOptimizer(const XlaOrigin& origin) {
  return std::ranges::any_of(origin.frames, [](std::string_view frame) {
    const bool is_installed =
        Has(frame, "/site-packages/") || Has(frame, "/dist-packages/");
    const bool is_loss =
        Has(frame, "/optax/losses/") || Has(frame, "/optax/_src/loss");
    return is_installed && !is_loss &&
           (Has(frame, "/optax/") || Has(frame, "/optimizers/"));
  });
}

// What a module does that is one operation of a program without jit.
enum class Alone : uint8_t { kNoModule, kOther, kProduct, kTransposition };

Alone AloneIn(std::string_view name) {
  if (!name.starts_with("XlaModule:")) return Alone::kNoModule;
  if (Has(name, "hlo_module=jit_dot_general,")) return Alone::kProduct;
  if (Has(name, "hlo_module=jit_transpose,")) return Alone::kTransposition;
  return Alone::kOther;
}

}  // namespace

XlaPasses::XlaPasses(const TraceModel& model, const Process& process,
                     const RangeIndex& ranges)
    : model_(model), process_(process), ranges_(ranges) {
  for (const Range& range : process.ranges) Learn(range);
  if (!any_origin_) return;
  if (!operations_.empty()) LearnTexts();
  absl::flat_hash_map<std::pair<TextId, TextId>, Pass> known;
  for (size_t i = 0; i < process.ranges.size(); ++i) {
    const TextId name = process.ranges[i].name;
    const TextId detail = DetailOf(process.ranges[i]);
    const auto [it, is_new] = known.try_emplace({name, detail}, Pass::kNoPath);
    if (is_new) it->second = PassOf(name, detail);
    const Pass pass = it->second;
    if (pass == Pass::kNoPath) continue;
    const bool is_xla = !operations_.contains(name);
    is_xla_ |= is_xla;
    passes_.resize(process.ranges.size(), Pass::kNoPath);
    passes_[i] = pass;
    const bool is_inference = pass == Pass::kForward && only_infers();
    differentiates_ |=
        pass != Pass::kPlain && pass != Pass::kCommon && !is_inference;
  }
  if (!passes_.empty() && !differentiates_)
    differentiates_ = AnyTextDifferentiates();
  transposes_products_ = any() && !differentiates_ && TransposesProducts();
}

// Of a long run a part may be in memory, but all texts are.
void XlaPasses::LearnTexts() {
  for (size_t i = 0; i < model_.texts.size(); ++i) {
    const std::optional<GraphOperation> operation =
        ParseGraphOperation(model_.texts[TextId(i)]);
    if (operation) scopes_.Add(*operation);
  }
}

bool XlaPasses::AnyTextDifferentiates() const {
  for (size_t i = 0; i < model_.texts.size(); ++i) {
    const std::string_view text = model_.texts[TextId(i)];
    if (IsDifferentiated(PathInName(text))) return true;
    const std::optional<GraphOperation> operation = ParseGraphOperation(text);
    if (operation && TapeScopes::IsGradient(operation->path)) return true;
    const XlaOrigin origin = ParseXlaOrigin(text);
    if (std::ranges::any_of(origin.paths, IsDifferentiated)) return true;
  }
  return false;
}

// The tap leaves details out where too many come at once. Modules may have
// different ones under one name.
void XlaPasses::Learn(const Range& range) {
  const auto [only, is_new] = only_details_.try_emplace(range.name);
  if (is_new) {
    const std::string_view path = PathInName(model_.texts[range.name]);
    AddParents(path);
    scopes_.Add(path);
    any_origin_ |= !path.empty();
    LearnOperation(range);
  }
  if (!range.detail.known()) return;
  any_origin_ = true;
  const auto [origin, is_first] = origins_.try_emplace(range.detail);
  if (is_first) {
    origin->second = ParseXlaOrigin(model_.texts[range.detail]);
    for (const std::string_view path : origin->second.paths) scopes_.Add(path);
  }
  only->second.Add(range.detail);
}

void XlaPasses::LearnOperation(const Range& range) {
  if (!range.domain.known() || model_.texts[range.domain] != "TSL") return;
  const std::optional<GraphOperation> operation =
      ParseGraphOperation(model_.texts[range.name]);
  if (!operation) return;
  operations_.insert(range.name);
  scopes_.Add(*operation);
  any_origin_ = true;
}

TextId XlaPasses::DetailOf(const Range& range) const {
  if (range.detail.known()) return range.detail;
  return only_details_.at(range.name).Get();
}

bool XlaPasses::TransposesProducts() const {
  absl::flat_hash_map<size_t, Alone> by_name;
  absl::flat_hash_map<size_t, std::vector<std::pair<int64_t, Alone>>> by_thread;
  for (const Range& range : process_.ranges) {
    const auto [it, is_new] =
        by_name.try_emplace(range.name.value(), Alone::kNoModule);
    if (is_new) it->second = AloneIn(model_.texts[range.name]);
    if (it->second == Alone::kNoModule) continue;
    by_thread[range.thread.value()].emplace_back(range.begin_ns, it->second);
  }
  for (auto& [thread, runs] : by_thread) {
    std::sort(runs.begin(), runs.end());
    for (size_t i = 1; i < runs.size(); ++i) {
      if (runs[i - 1].second == Alone::kProduct &&
          runs[i].second == Alone::kTransposition) {
        return true;
      }
    }
  }
  return false;
}

void XlaPasses::AddParents(std::string_view path) {
  size_t end = path.rfind('/');
  while (end != std::string_view::npos && end > 0) {
    if (!parents_.emplace(path.substr(0, end)).second) return;
    end = path.rfind('/', end - 1);
  }
}

XlaPasses::Pass XlaPasses::PassOf(TextId text, TextId detail) const {
  const std::string_view name = model_.texts[text];
  if (operations_.contains(text)) {
    const std::optional<GraphOperation> operation = ParseGraphOperation(name);
    return operation ? PassOf(*operation) : Pass::kNoPath;
  }
  if (detail.known()) {
    const Pass pass = PassOf(origins_.at(detail));
    if (pass != Pass::kNoPath) return pass;
  }
  const std::string_view path = PathInName(name);
  if (path.empty() && name.starts_with("Thunk:#") && only_infers()) {
    return Pass::kForward;
  }
  const Pass pass = PassOfPath(path);
  const bool is_common = path.ends_with(')') || parents_.contains(path);
  return pass == Pass::kPlain && is_common ? Pass::kCommon : pass;
}

// What comes last in a fusion is its own; it may take up what comes from other
// passes.
XlaPasses::Pass XlaPasses::PassOf(const XlaOrigin& origin) const {
  const Pass own = PassOfPath(origin.path);
  if (own != Pass::kPlain && own != Pass::kNoPath) return own;
  bool any_plain = own == Pass::kPlain;
  bool any_forward = false;
  bool any_backward = false;
  for (const std::string_view path : origin.paths) {
    const Pass pass = PassOfPath(path);
    any_plain |= pass == Pass::kPlain;
    any_forward |= pass == Pass::kForward || pass == Pass::kRecompute;
    any_backward |= pass == Pass::kBackward;
  }
  if (any_plain && IsOfAnOptimizer(origin)) return Pass::kUpdate;
  if (any_plain && any_backward) {
    return OnlyAdds(origin) ? Pass::kBackward : Pass::kUpdate;
  }
  if (any_plain) return Pass::kPlain;
  if (any_backward) return Pass::kBackward;
  return any_forward ? Pass::kForward : Pass::kNoPath;
}

// An update scales what it adds, or subtracts it.
bool XlaPasses::OnlyAdds(const XlaOrigin& origin) const {
  return std::ranges::all_of(origin.paths, [this](std::string_view path) {
    return PassOfPath(path) != Pass::kPlain || IsSum(path);
  });
}

XlaPasses::Pass XlaPasses::PassOf(const GraphOperation& operation) const {
  // What runs a graph adds operations of its own, to send and receive.
  if (operation.type.starts_with('_')) return Pass::kNoPath;
  const Pass pass = PassOfPath(operation.path);
  if (pass == Pass::kForward || pass == Pass::kBackward) return pass;
  if (IsUpdate(operation)) return Pass::kUpdate;
  return IsGradientByType(operation) ? Pass::kBackward : pass;
}

XlaPasses::Pass XlaPasses::PassOfPath(std::string_view path) const {
  if (Has(path, "rematted_computation")) return Pass::kRecompute;
  if (Has(path, "transpose(")) return Pass::kBackward;
  if (TapeScopes::IsGradient(path)) return Pass::kBackward;
  if (Has(path, "jvp(") || scopes_.IsDifferentiated(path)) {
    return Pass::kForward;
  }
  if (scopes_.IsUpdate(path)) return Pass::kUpdate;
  if (scopes_.IsOtherLayer(path)) return Pass::kForward;
  if (only_infers() && !path.empty()) return Pass::kForward;
  // Else it is an argument.
  const bool is_plain =
      path.starts_with("jit(") || (scopes_.any() && Has(path, "/"));
  return is_plain ? Pass::kPlain : Pass::kNoPath;
}

RangeId XlaPasses::RunOf(RangeId range) const {
  for (RangeId id = range; id.known(); id = ranges_.ParentOf(id)) {
    const TextId name = process_.ranges[id.value()].name;
    if (model_.texts[name].starts_with("XlaModule:")) return id;
  }
  return RangeId();
}

XlaPasses::Place XlaPasses::PlaceAt(ThreadId thread, int64_t at_ns) const {
  const RangeId range = ranges_.InnermostAt(thread, at_ns);
  if (!range.known() || !any()) {
    return {RangeId(), range, false, false, true, false};
  }
  const TextId name = process_.ranges[range.value()].name;
  const TextId detail = DetailOf(process_.ranges[range.value()]);
  const Pass pass = passes_[range.value()];
  const bool is_plain = pass == Pass::kPlain || pass == Pass::kUpdate;
  return {RunOf(range),
          range,
          pass != Pass::kNoPath,
          is_plain,
          pass == Pass::kNoPath && PathInName(model_.texts[name]).empty(),
          detail.known() && OnlyAdds(origins_.at(detail))};
}

Direction XlaPasses::Of(RangeId range) const {
  if (passes_.empty() || !range.known()) return Direction::kNone;
  switch (passes_[range.value()]) {
    case Pass::kForward: return Direction::kForward;
    case Pass::kBackward: return Direction::kBackward;
    case Pass::kRecompute: return Direction::kRecompute;
    case Pass::kUpdate: return Direction::kUpdate;
    case Pass::kNoPath:
    case Pass::kPlain:
    case Pass::kCommon: break;
  }
  return Direction::kNone;
}

const XlaOrigin* XlaPasses::OriginOf(RangeId range) const {
  if (origins_.empty() || !range.known()) return nullptr;
  const TextId detail = DetailOf(process_.ranges[range.value()]);
  return detail.known() ? &origins_.at(detail) : nullptr;
}

bool XlaPasses::Computes(RangeId range) const {
  const XlaOrigin* origin = OriginOf(range);
  return origin != nullptr && origin->computes;
}

Direction XlaPasses::DirectionOfCall(RangeId range, Direction by_call) const {
  const bool is_no_gradient = scopes_.any() && range.known() &&
                              !passes_.empty() &&
                              passes_[range.value()] == Pass::kPlain;
  if (is_no_gradient && IsBackward(by_call)) return Direction::kForward;
  return SettledDirection(Of(range), by_call);
}

Direction SettledDirection(Direction by_path, Direction by_call) {
  const bool both_backward = IsBackward(by_path) && IsBackward(by_call);
  return by_path == Direction::kNone || both_backward ? by_call : by_path;
}

}  // namespace dltap::analyzer

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/xla_passes.h"

#include <algorithm>
#include <utility>

namespace dltap::analyzer {
namespace {

bool Has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The path in the name of a range of XLA; empty: it writes none.
std::string_view PathOf(std::string_view name) {
  constexpr std::string_view kBegin = "Thunk:#name=";
  if (!name.starts_with(kBegin)) return {};
  name.remove_prefix(kBegin.size());
  return name.substr(0, name.rfind(",hlo_op="));
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

constexpr std::string_view kTape = "gradient_tape/";  // of TensorFlow

// Where `kTape` begins, as a part of `path`; npos: it is none.
size_t TapeIn(std::string_view path) {
  size_t at = path.find(kTape);
  while (at != std::string_view::npos && at > 0 && path[at - 1] != '/') {
    at = path.find(kTape, at + 1);
  }
  return at;
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
  absl::flat_hash_map<std::pair<TextId, TextId>, Pass> known;
  for (size_t i = 0; i < process.ranges.size(); ++i) {
    const TextId name = process.ranges[i].name;
    const TextId detail = DetailOf(process.ranges[i]);
    const auto [it, is_new] = known.try_emplace({name, detail}, Pass::kNoPath);
    if (is_new) it->second = PassOf(model.texts[name], detail);
    const Pass pass = it->second;
    if (pass == Pass::kNoPath) continue;
    passes_.resize(process.ranges.size(), Pass::kNoPath);
    passes_[i] = pass;
    differentiates_ |= pass != Pass::kPlain && pass != Pass::kCommon;
  }
  if (any() && !differentiates_) differentiates_ = AnyTextDifferentiates();
  transposes_products_ = any() && !differentiates_ && TransposesProducts();
}

// Of a long run a part may be in memory, but all texts are.
bool XlaPasses::AnyTextDifferentiates() const {
  for (size_t i = 0; i < model_.texts.size(); ++i) {
    const std::string_view text = model_.texts[TextId(i)];
    if (IsDifferentiated(PathOf(text))) return true;
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
    const std::string_view path = PathOf(model_.texts[range.name]);
    AddParents(path);
    AddScope(path);
    any_origin_ |= !path.empty();
  }
  if (!range.detail.known()) return;
  any_origin_ = true;
  const auto [origin, is_first] = origins_.try_emplace(range.detail);
  if (is_first) {
    origin->second = ParseXlaOrigin(model_.texts[range.detail]);
    for (const std::string_view path : origin->second.paths) AddScope(path);
  }
  only->second.Add(range.detail);
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

XlaPasses::Pass XlaPasses::PassOf(std::string_view name, TextId detail) const {
  if (detail.known()) {
    const Pass pass = PassOf(origins_.at(detail));
    if (pass != Pass::kNoPath) return pass;
  }
  const std::string_view path = PathOf(name);
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

XlaPasses::Pass XlaPasses::PassOfPath(std::string_view path) const {
  if (Has(path, "rematted_computation")) return Pass::kRecompute;
  if (Has(path, "transpose(")) return Pass::kBackward;
  if (TapeIn(path) != std::string_view::npos) return Pass::kBackward;
  if (Has(path, "jvp(") || IsInScopes(path)) return Pass::kForward;
  // Else it is an argument.
  return path.starts_with("jit(") ? Pass::kPlain : Pass::kNoPath;
}

// "a/gradient_tape/b/c": what is left without the tape begins with "a/b".
void XlaPasses::AddScope(std::string_view path) {
  const size_t tape = TapeIn(path);
  if (tape == std::string_view::npos) return;
  const std::string_view inside = path.substr(tape + kTape.size());
  scopes_.insert(std::string(path.substr(0, tape))
                     .append(inside.substr(0, inside.find('/'))));
}

bool XlaPasses::IsInScopes(std::string_view path) const {
  for (size_t end = path.size(); end != std::string_view::npos && end > 0;
       end = path.rfind('/', end - 1)) {
    if (scopes_.contains(path.substr(0, end))) return true;
  }
  return false;
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
          pass == Pass::kNoPath && PathOf(model_.texts[name]).empty(),
          detail.known() && OnlyAdds(origins_.at(detail))};
}

Direction XlaPasses::Of(RangeId range) const {
  if (!any() || !range.known()) return Direction::kNone;
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

bool XlaPasses::Computes(RangeId range) const {
  if (!range.known()) return false;
  const TextId detail = DetailOf(process_.ranges[range.value()]);
  return detail.known() && origins_.at(detail).computes;
}

Direction SettledDirection(Direction by_path, Direction by_call) {
  const bool both_backward = IsBackward(by_path) && IsBackward(by_call);
  return by_path == Direction::kNone || both_backward ? by_call : by_path;
}

}  // namespace dltap::analyzer

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/base/glue.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/attribution/names/name_rules.h"

namespace dltap::analyzer {
namespace {

// A longer row of fills and copies is work of its own, such as clearing the
// gradients of a model.
constexpr size_t kMaxGlue = 8;
// The host stops for less between the calls of one layer.
constexpr int64_t kClearPauseNs = 100'000;

bool MatchesAny(std::string_view name,
                std::initializer_list<std::string_view> globs) {
  return std::any_of(globs.begin(), globs.end(),
                     [name](auto glob) { return GlobMatches(glob, name); });
}

// Whether glue may belong to work of the class.
bool IsLayer(LayerClass layer_class) {
  switch (layer_class) {
    case LayerClass::kConv:
    case LayerClass::kRnn:
    case LayerClass::kAttention:
    case LayerClass::kGemm:
    case LayerClass::kNorm:
    case LayerClass::kPool:
    case LayerClass::kEmbedding:
    case LayerClass::kMoe: return true;
    default: return false;
  }
}

class GluePass {
 public:
  GluePass(const TraceModel& model, const Process& process,
           ProcessAttribution& attribution)
      : model_(model), process_(process), attribution_(attribution) {}

  void Run() {
    for (size_t i = 0; i < process_.activities.size(); ++i) {
      attribution_.activities[i].glue = GlueOf(i);
    }
    const std::vector<size_t> order = ByThreadAndCall();
    for (size_t first = 0; first < order.size();) {
      size_t last = first;
      while (last < order.size() && SameThread(order[first], order[last]) &&
             IsGlue(order[last])) {
        ++last;
      }
      if (last > first) Assign(order, first, last);
      first = std::max(last, first + 1);
    }
  }

 private:
  Glue GlueOf(size_t i) {
    const Activity& activity = process_.activities[i];
    const Attributed& attributed = attribution_.activities[i];
    if (activity.kind == ActivityKind::kMemset) {
      return attributed.layer_class == LayerClass::kMemset ? Glue::kFill
                                                           : Glue::kNone;
    }
    if (activity.kind == ActivityKind::kMemcpy) {
      return attributed.layer_class == LayerClass::kCopyD2d ? Glue::kMove
                                                            : Glue::kNone;
    }
    // A library's own kernels are part of its call.
    if (attributed.class_from == ClassFrom::kApiArguments) return Glue::kNone;
    if (IsLayer(attributed.layer_class)) return Glue::kNone;
    const std::tuple key(activity.name.value(), attributed.layer_class);
    const auto [it, is_new] = of_name_.try_emplace(key);
    if (is_new) {
      it->second = GlueOfName(Demangle(model_.texts[activity.name]),
                              attributed.layer_class);
    }
    return it->second;
  }

  const Call& CallOf(size_t i) const {
    const CallId call = attribution_.activities[i].submitted_by;
    return process_.calls[call.value()];
  }

  // Activities whose call is known, as their threads submitted them.
  std::vector<size_t> ByThreadAndCall() const {
    // Calls are sorted by thread and begin, activities by begin: counted by
    // call, they come in order.
    std::vector<size_t> next(process_.calls.size() + 1);
    for (const Attributed& activity : attribution_.activities) {
      const CallId call = activity.submitted_by;
      if (call.known()) ++next[call.value() + 1];
    }
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<size_t> order(next.back());
    for (size_t i = 0; i < attribution_.activities.size(); ++i) {
      const CallId call = attribution_.activities[i].submitted_by;
      if (call.known()) order[next[call.value()]++] = i;
    }
    return order;
  }

  bool SameThread(size_t a, size_t b) const {
    return CallOf(a).thread == CallOf(b).thread;
  }

  bool IsGlue(size_t i) const {
    const Glue glue = attribution_.activities[i].glue;
    return glue != Glue::kNone && glue != Glue::kRandom;
  }

  // The layer at `at` in the order, if glue on the same thread may be its.
  const size_t* LayerAt(const std::vector<size_t>& order, size_t at,
                        size_t glue) const {
    if (at >= order.size() || !SameThread(order[at], order[glue])) {
      return nullptr;
    }
    const Attributed& layer = attribution_.activities[order[at]];
    return IsLayer(layer.layer_class) ? &order[at] : nullptr;
  }

  // The layer behind a row of glue, or the optimizer's kernel behind fills:
  // that sums up in them, as norms of gradients are.
  const size_t* WhatFollows(const std::vector<size_t>& order, size_t first,
                            size_t last) const {
    const size_t* layer = LayerAt(order, last, first);
    if (layer != nullptr || last >= order.size() ||
        !SameThread(order[last], order[first])) {
      return layer;
    }
    const bool are_fills = std::all_of(
        order.begin() + static_cast<ptrdiff_t>(first),
        order.begin() + static_cast<ptrdiff_t>(last), [this](size_t i) {
          return attribution_.activities[i].glue == Glue::kFill;
        });
    const bool is_optimizer =
        attribution_.activities[order[last]].layer_class ==
        LayerClass::kOptimizer;
    return are_fills && is_optimizer ? &order[last] : nullptr;
  }

  int64_t PauseBefore(const std::vector<size_t>& order, size_t i) const {
    return CallOf(order[i]).begin_ns - CallOf(order[i - 1]).end_ns;
  }

  // [first, last) is a row of glue. A clear pause of the host divides it:
  // what lies before the pause ends a layer, the rest begins one. Without a
  // pause it prepares the layer that follows.
  void Assign(const std::vector<size_t>& order, size_t first, size_t last) {
    const size_t* before =
        first > 0 ? LayerAt(order, first - 1, first) : nullptr;
    const size_t* after = WhatFollows(order, first, last);
    size_t split = after == nullptr ? last : first;
    int64_t longest = kClearPauseNs;
    for (size_t i = first == 0 ? 1 : first; i <= last; ++i) {
      if (i == order.size() || !SameThread(order[i], order[first])) break;
      if (!SameThread(order[i - 1], order[first])) continue;
      if (PauseBefore(order, i) <= longest) continue;
      longest = PauseBefore(order, i);
      split = i;
    }
    while (split < last &&
           attribution_.activities[order[split]].glue == Glue::kBias) {
      ++split;  // a bias is added to what is there
    }
    if (before != nullptr && split - first <= kMaxGlue) {
      for (size_t i = first; i < split; ++i) Own(order[i], *before);
    }
    if (after != nullptr && last - split <= kMaxGlue) {
      for (size_t i = split; i < last; ++i) Own(order[i], *after);
    }
  }

  // Clearing gradients for the next step is no part of a forward layer.
  void Own(size_t glue, size_t layer) {
    Attributed& of_glue = attribution_.activities[glue];
    const Direction direction = attribution_.activities[layer].direction;
    if (of_glue.direction != Direction::kNone &&
        IsBackward(of_glue.direction) != IsBackward(direction)) {
      return;
    }
    if (of_glue.direction == Direction::kUpdate &&
        direction != Direction::kUpdate) {
      return;
    }
    of_glue.glue_of = ActivityId(layer);
  }

  const TraceModel& model_;
  const Process& process_;
  ProcessAttribution& attribution_;
  absl::flat_hash_map<std::tuple<size_t, LayerClass>, Glue> of_name_;
};

}  // namespace

Glue GlueOfName(std::string_view name, LayerClass layer_class) {
  // Only what a kernel is called, not the types of its arguments.
  const std::string_view bare = name.substr(0, name.rfind('('));
  if (MatchesAny(bare, {"*FillFunctor*", "*fill_kernel*", "*ZeroFunctor*",
                        "*memset*", "*Memset*", "*wrapped_broadcast*",
                        // Attention's seed and offset; draws nothing.
                        "*philox::unpack_cudnn*"})) {
    return Glue::kFill;
  }
  if (MatchesAny(bare, {"*distribution_*", "*philox*", "*curand*",
                        "*random_from_to*", "*generate_seed*"})) {
    return Glue::kRandom;
  }
  if (MatchesAny(bare, {"*addTensor*", "*add_tensor*", "*AddBias*", "*BiasAdd*",
                        "*bias_add*", "*add_bias*"})) {
    return Glue::kBias;
  }
  // A number of calls so far, such as that of a batch norm: no layer's work is
  // in whole numbers.
  if (MatchesAny(bare, {"*FunctorOnSelf_add<long>*"})) return Glue::kCount;
  return layer_class == LayerClass::kLayout ? Glue::kMove : Glue::kNone;
}

void FindGlue(const TraceModel& model, const Process& process,
              ProcessAttribution& attribution) {
  GluePass(model, process, attribution).Run();
}

bool FillsWholeNumbers(std::string_view name) {
  constexpr std::string_view kFill = "::FillFunctor<";
  const size_t at = name.find(kFill);
  if (at == name.npos) return false;
  name.remove_prefix(at + kFill.size());
  const std::string_view type = name.substr(0, name.find('>'));
  return type == "long" || type == "int" || type == "short" || type == "bool" ||
         type.ends_with("char");
}

}  // namespace dltap::analyzer

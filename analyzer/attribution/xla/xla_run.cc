// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/xla/xla_run.h"

#include <array>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "analyzer/attribution/base/launch_shape.h"
#include "analyzer/model/layer_class.h"

namespace dltap::analyzer {
namespace {

// A number is an argument rather than a batch.
bool IsInput(const Activity& activity, const Attributed& attributed) {
  return attributed.layer_class == LayerClass::kCopyH2d &&
         activity.bytes > sizeof(double);
}

// Whether a module is one of JAX's random numbers.
bool DrawsNumbers(std::string_view module) {
  return module.find("threefry") != std::string_view::npos ||
         module.find("random_") != std::string_view::npos;
}

// "loop_add_fusion" of "loop_add_fusion_12".
std::string_view FamilyOf(std::string_view kernel) {
  const size_t end = kernel.find_last_not_of("0123456789");
  const bool is_numbered = end != std::string_view::npos &&
                           end + 1 < kernel.size() && kernel[end] == '_';
  return is_numbered ? kernel.substr(0, end) : kernel;
}

bool MapsOrMoves(LayerClass layer_class) {
  return layer_class == LayerClass::kElementwise ||
         layer_class == LayerClass::kActivation ||
         layer_class == LayerClass::kLayout;
}

bool IsProduct(LayerClass layer_class) {
  return layer_class == LayerClass::kGemm || layer_class == LayerClass::kConv ||
         layer_class == LayerClass::kAttention;
}

uint64_t NumberOf(const std::array<uint32_t, 3>& sizes) {
  return uint64_t{sizes[0]} * sizes[1] * sizes[2];
}

class RunBuilder {
 public:
  RunBuilder(const TraceModel& model, const Process& process,
             const XlaPasses& xla_passes, const ProcessAttribution& attribution)
      : model_(model),
        process_(process),
        xla_passes_(xla_passes),
        attribution_(attribution) {}

  void Add(size_t activity) {
    const Attributed& at = attribution_.activities[activity];
    if (!at.submitted_by.known()) return;
    const RangeId range = PlaceOf(at.submitted_by).run;
    if (range.known()) {
      RunIn(range).works.push_back(WorkOf(activity, at));
    } else if (IsInput(process_.activities[activity], at)) {
      runs_.emplace_back().begins_batch = true;
    }
  }

  std::vector<XlaRun> Take() { return std::move(runs_); }

 private:
  XlaPasses::Place PlaceOf(CallId id) const {
    const Call& call = process_.calls[id.value()];
    return xla_passes_.PlaceAt(call.thread, call.begin_ns);
  }

  TextId TextOf(RangeId range) const {
    return range.known() ? process_.ranges[range.value()].name : TextId();
  }

  XlaRun& RunIn(RangeId range) {
    const auto [it, is_new] =
        of_range_.try_emplace(range.value(), runs_.size());
    if (is_new) {
      XlaRun& run = runs_.emplace_back();
      run.module = TextOf(range);
      run.begins_batch = DrawsNumbers(model_.texts[run.module]);
    }
    return runs_[it->second];
  }

  // A node of a graph has the range in which it was made.
  XlaWork WorkOf(size_t index, const Attributed& at) const {
    const Activity& activity = process_.activities[index];
    const XlaPasses::Place place =
        PlaceOf(at.owner.known() ? at.owner : at.submitted_by);
    const std::string_view name =
        activity.name.known() ? model_.texts[activity.name] : "";
    const auto has = [name](std::string_view part) {
      return name.find(part) != std::string_view::npos;
    };
    const LaunchShape shape = ShapeOf(process_, activity);
    const uint64_t threads = NumberOf(shape.grid) * NumberOf(shape.block);
    return {.activity = index,
            .told = at.direction,
            .thunk = TextOf(place.range),
            .is_product = IsProduct(at.layer_class),
            .is_layer = IsOfALayer(at.layer_class),
            .is_over_rows = name.starts_with("fusion") ||
                            name.starts_with("triton_softmax"),
            .is_scatter = has("scatter"),
            .is_sum = !MapsOrMoves(at.layer_class),
            .is_elementwise = at.layer_class == LayerClass::kElementwise,
            .only_moves = at.layer_class == LayerClass::kLayout,
            .family = absl::HashOf(FamilyOf(name)),
            .makes_sum = has("_add_"),
            .makes_difference = has("_subtract_"),
            .has_path = place.has_path,
            .is_plain = place.is_plain,
            .only_adds = place.is_plain && place.only_adds,
            .is_silent = place.is_silent,
            .one_block = NumberOf(shape.grid) <= 1,
            .one_number = threads == 1,
            .threads = threads};
  }

  const TraceModel& model_;
  const Process& process_;
  const XlaPasses& xla_passes_;
  const ProcessAttribution& attribution_;
  std::vector<XlaRun> runs_;
  absl::flat_hash_map<size_t, size_t> of_range_;  // into runs_
};

}  // namespace

std::vector<XlaRun> XlaRuns(const TraceModel& model, const Process& process,
                            const XlaPasses& xla_passes,
                            const std::vector<Submission>& order,
                            const ProcessAttribution& attribution) {
  RunBuilder builder(model, process, xla_passes, attribution);
  for (const Submission& at : order) {
    if (!at.captured) builder.Add(at.activity);
  }
  return builder.Take();
}

}  // namespace dltap::analyzer

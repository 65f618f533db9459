// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/work/told_launches.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "shim/specs/entry_point.h"

namespace dltap::analyzer {
namespace {

class ToldLaunches {
 public:
  ToldLaunches(const TraceModel& model, const Process& process,
               ProcessAttribution& attribution)
      : model_(model), process_(process), attribution_(attribution) {}

  void Run() {
    const auto& works = attribution_.works;
    if (std::ranges::none_of(works, [this](auto& w) { return IsTold(w); })) {
      return;
    }
    for (size_t i = 0; i < process_.activities.size(); ++i) {
      Add(i, streams_[process_.activities[i].stream.value()]);
    }
  }

 private:
  struct Stream {
    std::vector<size_t> waiting;  // prepare what is told next
    WorkId told;                  // none: nothing right before this
  };

  bool IsTold(const Work& work) const {
    if (!work.call.known()) return false;
    const Call& call = process_.calls[work.call.value()];
    const auto* info = model_.entry_points[call.entry.value()].info;
    return call.operation.known() && info != nullptr &&
           info->kind == specs::Kind::kLaunch;
  }

  void Add(size_t i, Stream& stream) {
    const Attributed& attributed = attribution_.activities[i];
    const bool is_attention = attributed.layer_class == LayerClass::kAttention;
    if (is_attention && !attributed.work.known()) {
      if (IsPreparation(i)) {
        stream.told = WorkId();
        stream.waiting.push_back(i);
      } else if (stream.told.known()) {
        Share(stream.told, i);
      }
      return;
    }
    stream.told = WorkId();
    if (attributed.glue != Glue::kNone) return;  // orders or clears operands
    std::vector<size_t> waiting = std::exchange(stream.waiting, {});
    if (!is_attention || !IsTold(attribution_.works[attributed.work.value()])) {
      return;
    }
    stream.told = attributed.work;
    for (const size_t before : waiting) Share(attributed.work, before);
  }

  bool IsPreparation(size_t i) {
    if (attribution_.activities[i].class_from == ClassFrom::kComposite) {
      return true;
    }
    const TextId name = process_.activities[i].name;
    const auto [it, is_new] = prepares_.try_emplace(name.value());
    if (is_new) {
      it->second =
          model_.texts[name].find("dot_do_o") != std::string_view::npos;
    }
    return it->second;
  }

  void Share(WorkId work, size_t i) {
    const Activity& activity = process_.activities[i];
    attribution_.activities[i].work = work;
    attribution_.works[work.value()].kernel_ns +=
        activity.end_ns - activity.begin_ns;
  }

  const TraceModel& model_;
  const Process& process_;
  ProcessAttribution& attribution_;
  absl::flat_hash_map<size_t, Stream> streams_;
  absl::flat_hash_map<size_t, bool> prepares_;  // by name
};

}  // namespace

void ShareToldWorks(const TraceModel& model, const Process& process,
                    ProcessAttribution& attribution) {
  ToldLaunches(model, process, attribution).Run();
}

}  // namespace dltap::analyzer

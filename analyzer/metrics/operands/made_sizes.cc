// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/operands/made_sizes.h"

#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "analyzer/attribution/base/submissions.h"
#include "analyzer/attribution/names/name_rules.h"

namespace dltap::analyzer {
namespace {

// A cast reads 32 bits an element and writes 16.
constexpr double kWrittenByCast = 2.0 / 6.0;

enum class Makes : uint8_t { kOther, kCast, kFill };

Makes MakesOf(std::string_view kernel) {
  const std::string name = Demangle(kernel);
  const auto has = [&name](const char* part) {
    return name.find(part) != std::string::npos;
  };
  if (has("FillFunctor<")) return Makes::kFill;
  const bool is_cast =
      has("float16_copy_kernel_cuda(") && has("::{lambda(float)#");
  return is_cast ? Makes::kCast : Makes::kOther;
}

class Finder {
 public:
  Finder(const TraceModel& model, const Process& process,
         const ProcessAttribution& attribution, DeviceId device)
      : model_(model),
        process_(process),
        attribution_(attribution),
        device_(device) {}

  MadeTensors Run() {
    for (const Submission& at : SubmissionOrder(process_, attribution_)) {
      const Activity& activity = process_.activities[at.activity];
      const bool counts = !at.captured && activity.device == device_ &&
                          activity.kind == ActivityKind::kKernel &&
                          activity.graph_node == 0;
      if (counts) Add(activity, attribution_.activities[at.activity]);
    }
    return std::move(out_);
  }

 private:
  void Add(const Activity& activity, const Attributed& attributed) {
    if (!attributed.submitted_by.known() || attributed.autotune) return;
    const Call& call = process_.calls[attributed.submitted_by.value()];
    const auto [kind, is_new] = kinds_.try_emplace(activity.name);
    if (is_new) kind->second = MakesOf(model_.texts[activity.name]);
    if (kind->second == Makes::kCast) {
      if (const auto made = MadeBy(activity, call, kWrittenByCast)) {
        out_.casts.push_back(*made);
      }
    } else if (kind->second == Makes::kFill) {
      filled_[call.thread] = MadeBy(activity, call, 1);
    } else if (attributed.layer_class == LayerClass::kEmbedding &&
               IsBackward(attributed.direction)) {
      std::optional<MadeTensor>& zeros = filled_[call.thread];
      if (zeros) out_.tables.push_back(*zeros);
      zeros.reset();
    }
  }

  // `share` of the bytes that it moves are of what it makes.
  std::optional<MadeTensor> MadeBy(const Activity& activity, const Call& call,
                                   double share) const {
    const auto found =
        attribution_.launch_works.find({activity.name, activity.shape});
    if (found == attribution_.launch_works.end() || !found->second ||
        !found->second->bytes) {
      return std::nullopt;
    }
    const LaunchWork& work = *found->second;
    return MadeTensor{call.begin_ns,
                      static_cast<int64_t>(work.bytes_least * share),
                      static_cast<int64_t>(*work.bytes * share)};
  }

  const TraceModel& model_;
  const Process& process_;
  const ProcessAttribution& attribution_;
  const DeviceId device_;
  absl::flat_hash_map<TextId, Makes> kinds_;  // by kernel
  absl::flat_hash_map<ThreadId, std::optional<MadeTensor>> filled_;  // last
  MadeTensors out_;
};

}  // namespace

MadeTensors FindMadeTensors(const TraceModel& model, const Process& process,
                            const ProcessAttribution& attribution,
                            DeviceId device) {
  return Finder(model, process, attribution, device).Run();
}

}  // namespace dltap::analyzer

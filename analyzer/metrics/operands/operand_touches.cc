// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/operands/operand_touches.h"

#include <algorithm>
#include <utility>

namespace dltap::analyzer {
namespace {

Pass PassOf(Direction direction) {
  if (direction == Direction::kUpdate) return Pass::kUpdate;
  if (direction == Direction::kRecompute) return Pass::kRecompute;
  return IsBackward(direction) ? Pass::kBackward : Pass::kForward;
}

// Whether what a copy writes lies on the device.
bool WritesHost(const Activity& activity) {
  return activity.copy == CopyKind::kDeviceToHost ||
         activity.copy == CopyKind::kHostToHost;
}

}  // namespace

const Operand* Touch::Find(Meaning role) const {
  for (const Operand& operand : operands) {
    if (operand.role == role) return &operand;
  }
  return nullptr;
}

OperandTouches::OperandTouches(const TraceModel& model, const Process& process,
                               const ProcessAttribution& attribution,
                               DeviceId device)
    : model_(model),
      process_(process),
      attribution_(attribution),
      meanings_(model, process) {
  std::vector<bool> seen(process.calls.size());
  for (size_t i = 0; i < process.activities.size(); ++i) {
    const Attributed& attributed = attribution.activities[i];
    const CallId id = attributed.owner;
    if (!id.known() || id != attributed.submitted_by || seen[id.value()]) {
      continue;
    }
    const Activity& activity = process.activities[i];
    if (attributed.autotune || activity.device != device) continue;
    if (WritesHost(activity)) continue;
    seen[id.value()] = true;
    works_.push_back({id, i});
  }
  std::stable_sort(works_.begin(), works_.end(),
                   [&](const Work& a, const Work& b) {
                     return process.calls[a.call.value()].begin_ns <
                            process.calls[b.call.value()].begin_ns;
                   });
}

void OperandTouches::Visit(Interval span,
                           const std::function<void(const Touch&)>& visit) {
  const auto begin_of = [this](const Work& work) {
    return process_.calls[work.call.value()].begin_ns;
  };
  auto work = std::lower_bound(
      works_.begin(), works_.end(), span.begin_ns,
      [&](const Work& at, int64_t ns) { return begin_of(at) < ns; });
  for (; work != works_.end() && begin_of(*work) < span.end_ns; ++work) {
    const Call& call = process_.calls[work->call.value()];
    const auto& meaning = meanings_.Of(work->call);
    std::vector<Operand> operands =
        OperandsOf(model_, process_, call, meaning ? &*meaning : nullptr);
    std::optional<Operand> unplaced;
    if (meaning) unplaced = UnplacedWeights(*meaning, operands);
    if (operands.empty() && !unplaced) continue;
    const bool is_product = meaning &&
                            meaning->leading.kind == opmodel::OpKind::kGemm &&
                            meaning->leading[opmodel::Dim::kBatch] == 1;
    const Attributed& done = attribution_.activities[work->activity];
    visit({call.begin_ns, call.end_ns, PassOf(done.direction), is_product,
           done.layer_class == LayerClass::kCopyH2d, std::move(operands),
           unplaced});
  }
}

}  // namespace dltap::analyzer

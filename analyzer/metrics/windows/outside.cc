// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/windows/outside.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "analyzer/metrics/base/add_arrays.h"
#include "analyzer/metrics/windows/step_choice.h"
#include "analyzer/model/near_search.h"

namespace dltap::analyzer {
namespace {

constexpr int64_t kBegin = std::numeric_limits<int64_t>::min();
constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();

// Trials are no part of the program's work, wherever they ran.
std::string_view ReasonOf(const Attributed& attributed,
                          std::string_view of_part) {
  return attributed.autotune && of_part != kNotSelected
             ? Name(StepUse::kAutotune)
             : of_part;
}

}  // namespace

int64_t Outside::total_ns() const {
  return std::accumulate(gpu_ns.begin(), gpu_ns.end(), int64_t{0});
}

int64_t Outside::not_selected_ns() const {
  const auto it = left_out.find(std::string(kNotSelected));
  return it == left_out.end() ? 0 : it->second.gpu_ns;
}

void Outside::Add(const Outside& other) {
  AddTo(gpu_ns, other.gpu_ns);
  for (const auto& [reason, sums] : other.left_out) {
    LeftOut& into = left_out[reason];
    into.steps += sums.steps;
    into.gpu_ns += sums.gpu_ns;
    into.wall_ns += sums.wall_ns;
  }
}

std::vector<OutsidePart> AlwaysOutside(std::string_view reason) {
  return {{{kBegin, kEnd}, reason}};
}

std::vector<OutsidePart> AroundSteps(const Steps& steps,
                                     const std::vector<StepWindow>& windows) {
  if (windows.empty()) return AlwaysOutside(kDeviceWithoutSteps);
  std::vector<OutsidePart> parts;
  int64_t at = kBegin;
  std::string_view before = kBeforeFirstStep;
  for (const StepWindow& window : windows) {
    const std::string_view reason = Name(steps.steps[window.step].use);
    if (at < window.span.begin_ns) {
      parts.push_back({{at, window.span.begin_ns}, before});
    }
    if (steps.steps[window.step].use != StepUse::kUsed) {
      parts.push_back({window.span, reason});
    }
    at = window.span.end_ns;
    before = reason;
  }
  parts.push_back({{at, kEnd}, kAfterLastStep});
  return parts;
}

std::vector<OutsidePart> Clipped(std::vector<OutsidePart> parts,
                                 const TimePart& part) {
  for (OutsidePart& outside : parts) {
    outside.span = Common(outside.span, {part.begin_ns, part.end_ns});
  }
  std::erase_if(parts, [](const OutsidePart& outside) {
    return outside.span.begin_ns >= outside.span.end_ns;
  });
  return parts;
}

void AddOutside(const Process& process, const ProcessAttribution& attribution,
                DeviceId device, const std::vector<OutsidePart>& parts,
                const std::vector<StepWindow>& windows, Outside& outside) {
  size_t near = 0;
  size_t near_window = 0;
  for (size_t i = 0; i < process.activities.size(); ++i) {
    const Activity& activity = process.activities[i];
    if (activity.device != device) continue;
    const Interval span{activity.begin_ns, activity.end_ns};
    near = FirstFrom(parts.size(), near, [&](size_t p) {
      return parts[p].span.end_ns <= span.begin_ns;
    });
    auto part = parts.begin() + static_cast<ptrdiff_t>(near);
    for (; part != parts.end() && part->span.begin_ns < span.end_ns; ++part) {
      const Interval common = Common(part->span, span);
      const int64_t ns =
          common.length_ns() - InsideNs(windows, common, near_window);
      if (ns <= 0) continue;
      const Attributed& attributed = attribution.activities[i];
      outside.gpu_ns[static_cast<size_t>(attributed.layer_class)] += ns;
      const std::string_view reason = ReasonOf(attributed, part->reason);
      outside.left_out[std::string(reason)].gpu_ns += ns;
    }
  }
}

}  // namespace dltap::analyzer

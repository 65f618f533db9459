// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/idle/cpu_use.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "analyzer/metrics/base/ratio.h"
#include "analyzer/model/near_search.h"

namespace dltap::analyzer {
namespace {

// No sleep is shorter: waking up alone takes longer.
constexpr int64_t kShortPartNs = 20'000;
constexpr double kEnoughSamples = 4;
constexpr size_t kAlikeClasses = 3;  // spans up to eight times as long
constexpr double kDeviations = 2;

// What a feeder does at a time.
enum class Part : uint8_t { kCall, kWait, kInput, kBetween };

// The limit L for which the sum of min(length, L) is `sum`, but not so short
// that a sleep would fit into less. Of sorted lengths.
double CommonLimit(const std::vector<double>& lengths, double sum) {
  for (size_t i = 0; i < lengths.size(); ++i) {
    const auto left = static_cast<double>(lengths.size() - i);
    if (lengths[i] * left >= sum) {
      return std::max<double>(sum / left, kShortPartNs);
    }
    sum -= lengths[i];
  }
  return lengths.empty() ? kShortPartNs : lengths.back();
}

}  // namespace

template <typename Visit>
void CpuUse::ForEachPart(Interval span, Visit visit) const {
  const auto& spans = timeline_.spans;
  auto next = std::upper_bound(
      spans.begin(), spans.end(), span.begin_ns,
      [](int64_t at, const HostSpan& s) { return at < s.span.end_ns; });
  auto input = std::upper_bound(
      inputs_.begin(), inputs_.end(), span.begin_ns,
      [](int64_t at, const Interval& i) { return at < i.end_ns; });
  const auto between = [&](int64_t at, int64_t end_ns) {
    while (at < end_ns) {
      while (input != inputs_.end() && input->end_ns <= at) ++input;
      if (input == inputs_.end() || input->begin_ns >= end_ns) {
        return visit(Part::kBetween, Interval{at, end_ns});
      }
      if (input->begin_ns > at) {
        visit(Part::kBetween, Interval{at, input->begin_ns});
      }
      const int64_t until = std::min(end_ns, input->end_ns);
      visit(Part::kInput, Interval{std::max(at, input->begin_ns), until});
      at = until;
    }
  };
  int64_t at = span.begin_ns;
  for (; next != spans.end() && next->span.begin_ns < span.end_ns; ++next) {
    const int64_t begin = std::max(at, next->span.begin_ns);
    between(at, begin);
    at = std::min(span.end_ns, next->span.end_ns);
    visit(next->state == HostState::kWait ? Part::kWait : Part::kCall,
          Interval{begin, at});
  }
  between(at, span.end_ns);
}

CpuUse::CpuUse(const Process& process, const std::vector<ThreadId>& threads,
               const HostTimeline& timeline,
               const std::vector<Interval>& inputs)
    : timeline_(timeline),
      inputs_(inputs),
      switched_off_(process, threads),
      fixed_costs_(process.host_clock == HostClock::kFixedCosts) {
  if (!process.has_cpu_samples || fixed_costs_) return;
  passes_ = CpuPassesOf(process, threads);
  if (passes_.size() < 2) return;
  FindRunningShares();
  JoinWherePreempted(passes_);
  for (size_t i = 0; i + 1 < passes_.size(); ++i) {
    periods_.push_back(Explain(i));
  }
  if (!std::ranges::all_of(periods_, &Period::has_run_delay)) FindPreemption();
}

// Whether a wait spins and whether a loader works in the thread itself is not
// in the trace; the samples inside them tell.
void CpuUse::FindRunningShares() {
  std::array<uint64_t, 4> samples{};
  std::array<uint64_t, 4> runnable{};
  for (const CpuPass& pass : passes_) {
    ForEachPart({pass.at_ns, pass.at_ns + 1}, [&](Part part, Interval) {
      samples[static_cast<size_t>(part)] += 1;
      runnable[static_cast<size_t>(part)] += pass.runnable;
    });
  }
  const auto share = [&](Part part) {
    const auto i = static_cast<size_t>(part);
    return Ratio(static_cast<double>(runnable[i]),
                 static_cast<double>(samples[i]))
        .value_or(0);
  };
  wait_runs_ = share(Part::kWait);
  input_runs_ = share(Part::kInput);
}

CpuUse::InputSamples CpuUse::InputSamplesIn(Interval span) const {
  InputSamples out;
  if (passes_.size() < 2) return out;
  auto pass =
      std::lower_bound(passes_.begin(), passes_.end(), span.begin_ns,
                       [](const auto& p, int64_t at) { return p.at_ns < at; });
  for (; pass != passes_.end() && pass->at_ns < span.end_ns; ++pass) {
    ForEachPart({pass->at_ns, pass->at_ns + 1}, [&](Part part, Interval) {
      if (part != Part::kInput) return;
      ++out.all;
      out.runnable += pass->runnable;
    });
  }
  return out;
}

uint64_t CpuUse::SamplesIn(Interval span) const {
  const auto at = [this](int64_t ns) {
    return std::lower_bound(
        passes_.begin(), passes_.end(), ns,
        [](const CpuPass& pass, int64_t at_ns) { return pass.at_ns < at_ns; });
  };
  return static_cast<uint64_t>(at(span.end_ns) - at(span.begin_ns));
}

CpuUse::Period CpuUse::Explain(size_t pass) const {
  std::array<double, 4> sums{};
  std::vector<double> lengths;
  double short_ns = 0;
  int64_t preempted = 0;
  Place near;
  ForEachPart({passes_[pass].at_ns, passes_[pass + 1].at_ns},
              [&](Part part, Interval span) {
                const auto ns = static_cast<double>(span.length_ns());
                sums[static_cast<size_t>(part)] += ns;
                if (part == Part::kCall) preempted += PreemptedIn(span, near);
                if (part != Part::kBetween) return;
                if (span.length_ns() < kShortPartNs) {
                  short_ns += ns;
                } else {
                  lengths.push_back(ns);
                }
              });
  const double calls = sums[static_cast<size_t>(Part::kCall)];
  const double between = sums[static_cast<size_t>(Part::kBetween)];
  const double waits = wait_runs_ * sums[static_cast<size_t>(Part::kWait)];
  const CpuPass& end = passes_[pass + 1];
  const auto delay = static_cast<double>(end.run_delay_ns);
  const double awake = static_cast<double>(end.cpu_ns) + delay;
  // An input that mostly sleeps among others that work takes no more of the
  // time awake than there is.
  const double input =
      std::min(input_runs_ * sums[static_cast<size_t>(Part::kInput)],
               std::max(0.0, awake - calls - waits));
  const double rest = std::clamp(awake - calls - waits - input, 0.0, between);
  const double on_cpu = 1 - Ratio(delay, awake).value_or(0);
  std::sort(lengths.begin(), lengths.end());
  const auto limit = [&](double ns) {
    return CommonLimit(lengths, std::max(0.0, ns - short_ns));
  };
  return {.awake_limit_ns = limit(rest),
          .run_limit_ns = limit(rest * on_cpu),
          .work_ns =
              calls - static_cast<double>(preempted) + (rest + input) * on_cpu,
          .has_run_delay = end.has_run_delay};
}

// A thread is runnable more often than it runs if others have its CPU. Only
// samples between calls count, those in spans of about one length together: a
// thread that wakes late from a long sleep is not preempted in it.
void CpuUse::FindPreemption() {
  std::array<Sampled, kLengthClasses> sampled{};
  Place near;
  for (size_t i = 0; i < periods_.size(); ++i) {
    const Interval period{passes_[i].at_ns, passes_[i + 1].at_ns};
    ForEachPart(period, [&](Part part, Interval span) {
      if (part != Part::kBetween) return;
      const auto length = static_cast<double>(span.length_ns());
      const bool whole =
          span.begin_ns > period.begin_ns && span.end_ns < period.end_ns;
      Sampled& of =
          sampled[LengthClass(whole ? span : WholeAround(span, near))];
      of.running_ns += std::min(length, periods_[i].run_limit_ns);
      of.between_ns += length;
    });
    const int64_t at = period.end_ns;
    ForEachPart({at, at + 1}, [&](Part part, Interval span) {
      if (part != Part::kBetween) return;
      Sampled& of = sampled[LengthClass(WholeAround(span, near))];
      of.samples += 1;
      of.runnable += passes_[i + 1].runnable;
    });
  }
  for (size_t i = 0; i < kLengthClasses; ++i) {
    resting_[i] = RestingShares(EnoughAround(sampled, i));
  }
}

// The spans of one length class, and of those next to it as far as it takes to
// have enough samples; if that is too far, those that are near.
CpuUse::Sampled CpuUse::EnoughAround(
    const std::array<Sampled, kLengthClasses>& sampled, size_t length_class) {
  Sampled sum;
  for (size_t around = 0; around <= kAlikeClasses; ++around) {
    sum = {};
    const size_t last = std::min(length_class + around, kLengthClasses - 1);
    for (size_t i = length_class - std::min(length_class, around); i <= last;
         ++i) {
      sum.samples += sampled[i].samples;
      sum.runnable += sampled[i].runnable;
      sum.running_ns += sampled[i].running_ns;
      sum.between_ns += sampled[i].between_ns;
    }
    if (sum.samples >= kEnoughSamples) break;
  }
  return sum;
}

// Samples are few: preemption within their error (Wilson's interval of two
// deviations) is none, and a sleep that none of them saw is a guess.
CpuUse::Resting CpuUse::RestingShares(const Sampled& sampled) {
  const bool saw_sleep = sampled.runnable < sampled.samples;
  const Resting other{.unknown = saw_sleep ? 0.0 : 1.0};
  if (sampled.samples < kEnoughSamples || sampled.between_ns <= 0) return other;
  const double n = sampled.samples;
  const double running = sampled.running_ns / sampled.between_ns;
  const double runnable = sampled.runnable / n;
  const double z = kDeviations;
  const double least =
      (runnable + z * z / (2 * n) -
       z * std::sqrt(runnable * (1 - runnable) / n + z * z / (4 * n * n))) /
      (1 + z * z / n);
  if (running >= 1 || least <= running) return other;
  return {.preempted = (runnable - running) / (1 - running)};
}

size_t CpuUse::LengthClass(Interval whole) {
  const auto ns =
      static_cast<uint64_t>(std::max<int64_t>(1, whole.length_ns()));
  return static_cast<size_t>(std::bit_width(ns)) - 1;
}

// The span between calls and inputs that the part is of.
Interval CpuUse::WholeAround(Interval part, Place& near) const {
  Interval whole = part;
  const auto& spans = timeline_.spans;
  near.call = FirstFrom(spans.size(), near.call, [&](size_t i) {
    return spans[i].span.end_ns <= part.begin_ns;
  });
  whole.begin_ns =
      near.call > 0 ? spans[near.call - 1].span.end_ns : SpanOf(0).begin_ns;
  whole.end_ns = near.call < spans.size() ? spans[near.call].span.begin_ns
                                          : SpanOf(periods_.size() - 1).end_ns;
  near.input = FirstFrom(inputs_.size(), near.input, [&](size_t i) {
    return inputs_[i].end_ns <= part.begin_ns;
  });
  if (near.input > 0) {
    whole.begin_ns = std::max(whole.begin_ns, inputs_[near.input - 1].end_ns);
  }
  if (near.input < inputs_.size()) {
    whole.end_ns = std::min(whole.end_ns, inputs_[near.input].begin_ns);
  }
  return whole;
}

// The first period and the last stand for as much time before and after them:
// samples begin and end inside a run.
Interval CpuUse::SpanOf(size_t period) const {
  Interval span{passes_[period].at_ns, passes_[period + 1].at_ns};
  const int64_t length = span.length_ns();
  if (period == 0) span.begin_ns -= length;
  if (period + 1 == periods_.size()) span.end_ns += length;
  return span;
}

// Samples tell of all of the part: what switches tell of it is taken out.
std::optional<CpuSplit> CpuUse::Split(Interval part, Place& near) const {
  if (fixed_costs_) {
    return CpuSplit{.running_ns = static_cast<double>(part.length_ns())};
  }
  const SwitchedOff::Told told = switched_off_.Split(part, near.off);
  if (told.untold_ns == 0) return told.split;
  const std::optional<CpuSplit> sampled = SplitBySamples(part, near);
  if (!sampled && told.untold_ns == part.length_ns()) return std::nullopt;
  CpuSplit split = told.split;
  auto left = static_cast<double>(told.untold_ns);
  const auto take = [&left](double ns, double& to) {
    const double taken = std::clamp(ns, 0.0, left);
    to += taken;
    left -= taken;
  };
  if (sampled) {
    take(sampled->running_ns - split.running_ns, split.running_ns);
    take(sampled->preempted_ns - split.preempted_ns, split.preempted_ns);
    take(sampled->unknown_ns, split.unknown_ns);
  }
  // Who is not seen may have run in what is left.
  take(sampled ? static_cast<double>(told.unseen_ns) : left, split.unknown_ns);
  split.blocked_ns += left;
  return split;
}

int64_t CpuUse::PreemptedIn(Interval call, Place& near) const {
  if (fixed_costs_) return 0;
  return std::llround(switched_off_.Split(call, near.off).split.preempted_ns);
}

std::optional<CpuSplit> CpuUse::SplitBySamples(Interval part,
                                               Place& near) const {
  if (periods_.empty() || part.begin_ns < SpanOf(0).begin_ns ||
      part.end_ns > SpanOf(periods_.size() - 1).end_ns) {
    return std::nullopt;
  }
  const Interval whole = WholeAround(part, near);
  const Resting without_delay = resting_[LengthClass(whole)];
  CpuSplit split;
  near.pass = FirstFrom(passes_.size(), near.pass, [&](size_t i) {
    return passes_[i].at_ns <= part.begin_ns;
  });
  size_t i = std::clamp<size_t>(near.pass, 1, periods_.size()) - 1;
  for (int64_t at = part.begin_ns; at < part.end_ns; ++i) {
    const Interval span = SpanOf(i);
    const int64_t until = std::min(part.end_ns, span.end_ns);
    const double length =
        static_cast<double>(std::min(whole.end_ns, span.end_ns) -
                            std::max(whole.begin_ns, span.begin_ns));
    const auto ns = static_cast<double>(until - at);
    const Period& period = periods_[i];
    const Resting resting = period.has_run_delay ? Resting{} : without_delay;
    const auto of_limit = [&](double limit_ns) {
      return length > 0 ? ns * std::min(1.0, limit_ns / length) : 0;
    };
    const double running = of_limit(period.run_limit_ns);
    const double awake = of_limit(period.awake_limit_ns);
    const double asleep = ns - awake;
    split.running_ns += running;
    split.preempted_ns += awake - running + asleep * resting.preempted;
    split.unknown_ns += asleep * resting.unknown;
    split.blocked_ns += asleep * (1 - resting.preempted - resting.unknown);
    at = until;
  }
  return split;
}

std::optional<double> CpuUse::WorkIn(Interval span) const {
  if (periods_.empty() || span.begin_ns < passes_.front().at_ns ||
      span.end_ns > passes_.back().at_ns) {
    return std::nullopt;
  }
  double work = 0;
  const auto first =
      std::upper_bound(passes_.begin(), passes_.end(), span.begin_ns,
                       [](int64_t at, const auto& p) { return at < p.at_ns; });
  for (size_t i = first - passes_.begin() - 1;
       i < periods_.size() && passes_[i].at_ns < span.end_ns; ++i) {
    const auto length =
        static_cast<double>(passes_[i + 1].at_ns - passes_[i].at_ns);
    const double inside =
        static_cast<double>(std::min(span.end_ns, passes_[i + 1].at_ns) -
                            std::max(span.begin_ns, passes_[i].at_ns));
    if (inside > 0 && length > 0) {
      work += periods_[i].work_ns * inside / length;
    }
  }
  return work;
}

}  // namespace dltap::analyzer

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/idle/input_spans.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <limits>
#include <string>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analyzer/metrics/idle/seen_pauses.h"
#include "analyzer/model/nearly_sorted.h"

namespace dltap::analyzer {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
constexpr size_t kNone = static_cast<size_t>(-1);
constexpr double kFetchesAhead = 0.8;  // of the passes with gradients

// What a call put on the device, from the least to the most telling.
enum class Load : uint8_t {
  kSmall,   // fills, casts, copies on the device, random numbers
  kInput,   // a copy to the device
  kOther,   // pointwise work and the like: a step's only after it has begun
  kResult,  // a copy to the host
  kWork     // of layers
};

// Which pass of a batch a call belongs to, as far as it matters here.
enum class Pass : uint8_t { kUnknown, kForward, kAfter };

struct Submission {
  Interval call;
  CallId id;
  Load load;
  Pass pass;
  bool layer;      // of a pass forward: products and the like
  bool pageable;   // a copy that stages its data in the call
  bool trial;      // autotuning
  uint64_t bytes;  // of a copy to or from the host
};

Load LoadOf(const Activity& activity, const Attributed& attributed) {
  if (attributed.layer_class == LayerClass::kCopyH2d) return Load::kInput;
  if (attributed.layer_class == LayerClass::kCopyD2h) return Load::kResult;
  if (activity.kind != ActivityKind::kKernel ||
      attributed.glue != Glue::kNone) {
    return IsCopyOrMemset(attributed.layer_class) ||
                   activity.kind == ActivityKind::kKernel
               ? Load::kSmall
               : Load::kWork;
  }
  switch (attributed.layer_class) {
    case LayerClass::kElementwise:
    case LayerClass::kReduction:
    case LayerClass::kActivation:
    case LayerClass::kDropout:
    case LayerClass::kOptimizer:
    case LayerClass::kOther:
    case LayerClass::kUnattributed: return Load::kOther;
    default: return Load::kWork;
  }
}

Pass PassOf(const Attributed& attributed) {
  if (attributed.layer_class == LayerClass::kOptimizer) return Pass::kAfter;
  switch (attributed.direction) {
    case Direction::kForward: return Pass::kForward;
    case Direction::kBackward:
    case Direction::kBackwardData:
    case Direction::kBackwardWeight:
    case Direction::kRecompute:
    case Direction::kUpdate: return Pass::kAfter;
    default: return Pass::kUnknown;
  }
}

// What a pass forward consists of before its loss.
bool IsForwardLayer(const Attributed& attributed) {
  if (PassOf(attributed) == Pass::kAfter) return false;
  switch (attributed.layer_class) {
    case LayerClass::kConv:
    case LayerClass::kRnn:
    case LayerClass::kAttention:
    case LayerClass::kGemm: return true;
    default: return false;
  }
}

// What the device was given, in the order of the host: one for each call.
std::vector<Submission> SubmissionsOf(const Process& process,
                                      const ProcessAttribution& attribution,
                                      DeviceId device) {
  std::vector<Submission> all;
  all.reserve(process.activities.size());
  for (size_t i = 0; i < process.activities.size(); ++i) {
    const Activity& activity = process.activities[i];
    const CallId id = attribution.activities[i].submitted_by;
    if (activity.device != device || !id.known()) continue;
    const Call& call = process.calls[id.value()];
    const Load load = activity.graph_node != 0
                          ? Load::kWork
                          : LoadOf(activity, attribution.activities[i]);
    all.push_back(
        {{call.begin_ns, call.end_ns},
         id,
         load,
         PassOf(attribution.activities[i]),
         IsForwardLayer(attribution.activities[i]),
         activity.source == MemoryKind::kPageable,
         attribution.activities[i].autotune,
         load == Load::kInput || load == Load::kResult ? activity.bytes : 0});
  }
  SortNearlySorted(all, [](const Submission& a, const Submission& b) {
    return std::tie(a.call.begin_ns, a.id) < std::tie(b.call.begin_ns, b.id);
  });
  size_t last = 0;
  for (size_t i = 1; i < all.size(); ++i) {
    if (all[i].id != all[last].id) {
      all[++last] = all[i];
      continue;
    }
    all[last].load = std::max(all[last].load, all[i].load);
    all[last].pass = std::max(all[last].pass, all[i].pass);
    all[last].layer |= all[i].layer;
    all[last].pageable |= all[i].pageable;
    all[last].trial |= all[i].trial;
    all[last].bytes += all[i].bytes;
  }
  if (!all.empty()) all.resize(last + 1);
  return all;
}

// What is copied for trials feeds no step.
void DropInputsOfTrials(std::vector<Submission>& submissions) {
  bool trial_follows = false;
  for (size_t i = submissions.size(); i-- > 0;) {
    Submission& submission = submissions[i];
    if (submission.load == Load::kInput) {
      if (trial_follows) submission.load = Load::kSmall;
    } else if (submission.load != Load::kSmall) {
      trial_follows = submission.trial;
    }
  }
}

// Goes through the submissions once and finds the copies that feed a step.
class FeedFinder {
 public:
  FeedFinder(const std::vector<Submission>& submissions, const Steps& steps)
      : submissions_(submissions), steps_(steps.steps) {
    next_work_ns_.resize(submissions.size() + 1, kNever);
    forward_follows_.resize(submissions.size() + 1, false);
    after_follows_.resize(submissions.size() + 1, false);
    loss_follows_.resize(submissions.size() + 1, false);
    for (size_t i = submissions.size(); i-- > 0;) {
      const bool tells = Tells(submissions[i]);
      forward_follows_[i] = tells ? submissions[i].pass == Pass::kForward
                                  : forward_follows_[i + 1];
      after_follows_[i] =
          tells ? submissions[i].pass == Pass::kAfter : after_follows_[i + 1];
      loss_follows_[i] = !submissions[i].layer &&
                         (loss_follows_[i + 1] || IsAfter(submissions[i]));
      next_work_ns_[i] = submissions[i].load == Load::kWork
                             ? submissions[i].call.begin_ns
                             : next_work_ns_[i + 1];
    }
    FindCopiesAhead();
  }

  std::vector<Interval> Run() {
    for (size_t i = 0; i < submissions_.size(); ++i) {
      EnterSteps(submissions_[i].call.begin_ns);
      Visit(i);
    }
    return std::move(spans_);
  }

 private:
  // A program may fetch the next batch as soon as the pass forward of this one
  // is submitted, before its gradients. Told where it does so in nearly all
  // passes, and copies next to nothing between gradients and a pass forward.
  // What it makes of a result there is no next batch.
  void FindCopiesAhead() {
    copied_ahead_.resize(submissions_.size(), false);
    size_t ahead = 0;
    size_t between_passes = 0;
    size_t passes = 0;      // with gradients
    bool after = false;     // what told its pass last
    bool any = false;       // something has
    bool in_a_row = false;  // of copies
    bool result = false;    // what came last before it
    for (size_t i = 0; i < submissions_.size(); ++i) {
      const Submission& submission = submissions_[i];
      if (submission.load > Load::kInput) {
        result = submission.load == Load::kResult;
      }
      if (submission.load == Load::kInput && any) {
        copied_ahead_[i] = !after && after_follows_[i] && !result;
        if (!in_a_row) {
          ahead += copied_ahead_[i];
          between_passes += after && forward_follows_[i];
        }
        in_a_row = true;
      } else if (Tells(submission)) {
        passes += any && !after && submission.pass == Pass::kAfter;
        after = submission.pass == Pass::kAfter;
        any = true;
        in_a_row = false;
      }
    }
    if (static_cast<double>(ahead) <
        kFetchesAhead *
            static_cast<double>(std::max(passes, ahead + between_passes))) {
      copied_ahead_.assign(submissions_.size(), false);
    }
  }

  static bool IsAfter(const Submission& submission) {
    return submission.load != Load::kSmall && submission.pass == Pass::kAfter;
  }

  static bool Tells(const Submission& submission) {
    return submission.load == Load::kWork ||
           (submission.load == Load::kOther && submission.pass == Pass::kAfter);
  }

  void EnterSteps(int64_t at_ns) {
    while (next_step_ < steps_.size() && steps_[next_step_].begin_ns <= at_ns) {
      step_begin_ns_ = steps_[next_step_].begin_ns;
      before_step_ = last_large_;
      ++next_step_;
    }
  }

  void Visit(size_t i) {
    if (Tells(submissions_[i])) {
      forward_ = submissions_[i].pass == Pass::kForward;
      answers_ &= submissions_[i].pass != Pass::kAfter;
      if (forward_) result_sizes_.clear();
    }
    if (submissions_[i].load == Load::kResult) {
      result_sizes_.insert(submissions_[i].bytes);
    }
    switch (submissions_[i].load) {
      case Load::kSmall: return;
      case Load::kInput: return VisitInput(i);
      case Load::kOther: last_large_ = i; return;
      case Load::kResult:
      case Load::kWork: last_large_ = last_work_ = i; return;
    }
  }

  // Before the step began, only small work lies between its predecessor's last
  // work and the copy; after, anything but the work of layers.
  void VisitInput(size_t i) {
    if (BeginsAPass(i)) {
      step_begin_ns_ = submissions_[i].call.begin_ns;
      before_step_ = last_large_;
    }
    size_t last = last_large_;
    if (last != kNone && last != last_work_ && step_begin_ns_ != kNoStep &&
        submissions_[last].call.begin_ns >= step_begin_ns_) {
      last = before_step_ == kNone ? last_work_
             : last_work_ == kNone ? before_step_
                                   : std::max(before_step_, last_work_);
    }
    if (copied_ahead_[i]) last = last_large_;
    if (!copied_ahead_[i] && !FeedsAStep(i, last)) return;
    const Submission& copy = submissions_[i];
    const int64_t begin =
        last == kNone
            ? step_begin_ns_ == kNoStep ? copy.call.begin_ns : step_begin_ns_
            : submissions_[last].call.end_ns;
    spans_.push_back({std::min(begin, copy.call.begin_ns),
                      copy.pageable ? copy.call.end_ns : copy.call.begin_ns});
  }

  // Whether the copy is the first of another batch within a step: gradients
  // are summed up over several, or several models are trained.
  bool BeginsAPass(size_t i) const {
    return last_large_ != kNone &&
           submissions_[last_large_].pass == Pass::kAfter &&
           submissions_[last_large_].call.begin_ns >= step_begin_ns_ &&
           forward_follows_[i];
  }

  // What the host makes of a result of a pass for its loss (pairs that match)
  // feeds no other; it does if other passes of the step were fed in that way
  // (by an environment, which gives the reward last).
  bool AnswersAResult(size_t i, size_t last) {
    if (submissions_[last].load != Load::kResult) return false;
    if (!forward_) return true;
    answers_ |= !loss_follows_[i];
    return answers_;
  }

  // Gradients that the host works on (an all-reduce by gloo) feed the update,
  // wherever steps are said to begin: as much as one copy brought to it.
  bool ComesBack(size_t i, size_t last) const {
    return submissions_[last].load == Load::kResult && !forward_ &&
           after_follows_[i] && result_sizes_.contains(submissions_[i].bytes);
  }

  bool FeedsAStep(size_t i, size_t last) {
    if (steps_.empty()) return true;
    if (last == kNone) return true;
    if (ComesBack(i, last)) return false;
    if (AnswersAResult(i, last)) return true;
    if (step_begin_ns_ > submissions_[last].call.begin_ns) return true;
    return next_step_ < steps_.size() &&
           steps_[next_step_].begin_ns <= next_work_ns_[i];
  }

  static constexpr int64_t kNoStep = std::numeric_limits<int64_t>::min();
  const std::vector<Submission>& submissions_;
  const std::vector<Step>& steps_;
  std::vector<int64_t> next_work_ns_;  // begin of the next kWork from here on
  std::vector<bool> forward_follows_;  // as the next that tells its pass
  std::vector<bool> after_follows_;    // likewise
  std::vector<bool> loss_follows_;     // before the next layer: gradients
  std::vector<bool> copied_ahead_;     // of a batch; see FindCopiesAhead
  std::vector<Interval> spans_;
  int64_t step_begin_ns_ = kNoStep;  // of the step, or of a batch inside it
  size_t next_step_ = 0;
  size_t last_large_ = kNone;   // submission that is more than small
  size_t last_work_ = kNone;    // of layers, or a result
  size_t before_step_ = kNone;  // last_large_ when the step began
  bool forward_ = false;        // what told its pass last is a pass forward
  bool answers_ = false;        // results of this step's passes fed others
  // In bytes, copied to the host since the pass forward.
  absl::flat_hash_set<uint64_t> result_sizes_;
};

std::vector<Interval> LoaderRanges(const TraceModel& model,
                                   const Process& process,
                                   const Feeders& feeders) {
  absl::flat_hash_map<size_t, bool> is_loader;
  std::vector<Interval> ranges;
  for (const Range& range : process.ranges) {
    if (feeders.OfThread(range.thread) == Feeders::kNoFeeder) continue;
    const auto [it, is_new] = is_loader.try_emplace(range.name.value());
    if (is_new) it->second = IsLoaderName(model.texts[range.name]);
    if (it->second) ranges.push_back({range.begin_ns, range.end_ns});
  }
  return ranges;
}

// Until code was loaded, the host compiled it and fed nothing.
void BeginAfterLoads(const std::vector<int64_t>& loads,
                     std::vector<Interval>& spans) {
  for (Interval& span : spans) {
    const auto after =
        std::lower_bound(loads.begin(), loads.end(), span.end_ns);
    if (after != loads.begin()) {
      span.begin_ns = std::max(span.begin_ns, *std::prev(after));
    }
  }
}

void SortAndJoin(std::vector<Interval>& spans) {
  std::sort(spans.begin(), spans.end(),
            [](const Interval& a, const Interval& b) {
              return a.begin_ns < b.begin_ns;
            });
  std::vector<Interval> joined;
  for (const Interval& span : spans) {
    if (!joined.empty() && span.begin_ns <= joined.back().end_ns) {
      joined.back().end_ns = std::max(joined.back().end_ns, span.end_ns);
    } else if (span.length_ns() > 0) {
      joined.push_back(span);
    }
  }
  spans = std::move(joined);
}

// Both are disjoint and in time.
std::vector<Interval> Without(const std::vector<Interval>& spans,
                              const std::vector<Interval>& parts) {
  std::vector<Interval> left;
  auto part = parts.begin();
  for (Interval span : spans) {
    while (part != parts.end() && part->end_ns <= span.begin_ns) ++part;
    for (auto it = part; it != parts.end() && it->begin_ns < span.end_ns;
         ++it) {
      if (it->begin_ns > span.begin_ns) {
        left.push_back({span.begin_ns, it->begin_ns});
      }
      span.begin_ns = std::max(span.begin_ns, it->end_ns);
    }
    if (span.length_ns() > 0) left.push_back(span);
  }
  return left;
}

}  // namespace

bool IsLoaderName(std::string_view name) {
  constexpr std::string_view kLoaders[] = {
      "dataloader",   "data_loader", "data loader",
      "load_batch",   "load_data",   "data_load",
      "data loading", "next_batch",  "iteratorgetnext"};
  // TSL writes "name#metadata#"; a copy between devices has no name, but what
  // it copies: "#edge_name=edge_3_IteratorGetNext#".
  if (name.ends_with('#')) name = name.substr(0, name.find('#'));
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return std::any_of(std::begin(kLoaders), std::end(kLoaders),
                     [&lower](std::string_view loader) {
                       return lower.find(loader) != std::string::npos;
                     });
}

std::vector<Interval> InputSpans(const TraceModel& model,
                                 const Process& process,
                                 const ProcessAttribution& attribution,
                                 const Steps& steps, const Feeders& feeders,
                                 DeviceId device) {
  std::vector<Interval> ranges = LoaderRanges(model, process, feeders);
  SortAndJoin(ranges);
  std::vector<Submission> submissions =
      SubmissionsOf(process, attribution, device);
  DropInputsOfTrials(submissions);
  std::vector<Interval> spans = FeedFinder(submissions, steps).Run();
  for (Interval& span : spans) {
    const auto first = std::lower_bound(
        ranges.begin(), ranges.end(), span.begin_ns,
        [](const Interval& r, int64_t at) { return r.begin_ns < at; });
    if (first != ranges.end() && first->begin_ns < span.end_ns) {
      span.begin_ns = first->begin_ns;
    }
  }
  BeginAfterLoads(ModuleLoads(model, process), spans);
  spans.insert(spans.end(), ranges.begin(), ranges.end());
  SortAndJoin(spans);
  SeenPauses seen = SeenPausesOf(model, process, attribution, feeders);
  SortAndJoin(seen.aside);
  spans = Without(spans, seen.aside);
  spans.insert(spans.end(), seen.loading.begin(), seen.loading.end());
  SortAndJoin(spans);
  return spans;
}

}  // namespace dltap::analyzer

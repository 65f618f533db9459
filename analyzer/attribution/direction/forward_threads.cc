// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/direction/forward_threads.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "analyzer/attribution/names/name_rules.h"

namespace dltap::analyzer {
namespace {

struct Does {
  bool layers = false;
  bool updates = false;
  bool other = false;  // a backward pass, replays

  bool trains() const { return layers && updates; }
  bool goes_forward() const { return layers && !updates && !other; }
};

class Finder {
 public:
  explicit Finder(const SubmittedWork& work)
      : work_(work),
        does_(work.process.threads.size()),
        forward_(work.process.threads.size()) {}

  std::vector<bool> Run() {
    for (size_t i = 0; i < work_.size(); ++i) Look(i);
    if (std::ranges::none_of(does_, &Does::trains)) return std::move(forward_);
    for (size_t i = 0; i < work_.size(); ++i) Follow(i);
    return std::move(forward_);
  }

 private:
  size_t ThreadOf(const Attributed& at) const {
    return work_.process.calls[at.submitted_by.value()].thread.value();
  }

  void Look(size_t i) {
    const Attributed& at = work_.At(i);
    if (!at.submitted_by.known()) return;
    Does& of_thread = does_[ThreadOf(at)];
    of_thread.other |= work_.is_backward[i] || work_.IsReplayed(i);
    of_thread.layers |= IsOfALayer(at.layer_class);
    of_thread.updates |= at.direction == Direction::kUpdate;
  }

  void Follow(size_t i) {
    const Attributed& at = work_.At(i);
    if (work_.is_backward[i]) in_training_ = true;
    if (work_.is_backward[i] || !in_training_ || !at.submitted_by.known())
      return;
    const size_t thread = ThreadOf(at);
    if (at.direction == Direction::kUpdate) {
      for (const size_t met : met_) forward_[met] = true;
      met_.clear();
    } else if (does_[thread].goes_forward()) {
      met_.insert(thread);
    } else if (does_[thread].trains() && IsOfALayer(at.layer_class)) {
      in_training_ = false;
      met_.clear();
    }
  }

  const SubmittedWork& work_;
  std::vector<Does> does_;     // by thread
  std::vector<bool> forward_;  // by thread
  // Between a backward pass and its update, and who has worked there so far.
  bool in_training_ = false;
  std::set<size_t> met_;
};

}  // namespace

std::vector<bool> ForwardThreads(const SubmittedWork& work) {
  return Finder(work).Run();
}

}  // namespace dltap::analyzer

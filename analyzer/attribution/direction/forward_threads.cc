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
  Finder(const Process& process, const ProcessAttribution& attribution,
         const std::vector<Submission>& order,
         const std::vector<bool>& is_backward)
      : process_(process),
        attribution_(attribution),
        order_(order),
        is_backward_(is_backward),
        does_(process.threads.size()),
        forward_(process.threads.size()) {}

  std::vector<bool> Run() {
    for (size_t i = 0; i < order_.size(); ++i) Look(i);
    if (std::ranges::none_of(does_, &Does::trains)) return std::move(forward_);
    for (size_t i = 0; i < order_.size(); ++i) Follow(i);
    return std::move(forward_);
  }

 private:
  const Attributed& At(size_t i) const {
    return attribution_.activities[order_[i].activity];
  }

  size_t ThreadOf(const Attributed& at) const {
    return process_.calls[at.submitted_by.value()].thread.value();
  }

  void Look(size_t i) {
    const Attributed& at = At(i);
    if (!at.submitted_by.known()) return;
    Does& of_thread = does_[ThreadOf(at)];
    of_thread.other |= is_backward_[i] || order_[i].captured ||
                       process_.activities[order_[i].activity].graph_node != 0;
    of_thread.layers |= IsOfALayer(at.layer_class);
    of_thread.updates |= at.direction == Direction::kUpdate;
  }

  void Follow(size_t i) {
    const Attributed& at = At(i);
    if (is_backward_[i]) in_training_ = true;
    if (is_backward_[i] || !in_training_ || !at.submitted_by.known()) return;
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

  const Process& process_;
  const ProcessAttribution& attribution_;
  const std::vector<Submission>& order_;
  const std::vector<bool>& is_backward_;
  std::vector<Does> does_;     // by thread
  std::vector<bool> forward_;  // by thread
  // Between a backward pass and its update, and who has worked there so far.
  bool in_training_ = false;
  std::set<size_t> met_;
};

}  // namespace

std::vector<bool> ForwardThreads(const Process& process,
                                 const ProcessAttribution& attribution,
                                 const std::vector<Submission>& order,
                                 const std::vector<bool>& is_backward) {
  return Finder(process, attribution, order, is_backward).Run();
}

}  // namespace dltap::analyzer

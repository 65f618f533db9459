// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/direction/recompute.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"

namespace dltap::analyzer {
namespace {

constexpr size_t kLongRun = 4;

bool IsProduct(LayerClass layer_class) {
  return layer_class == LayerClass::kGemm || layer_class == LayerClass::kConv ||
         layer_class == LayerClass::kAttention;
}

class Finder {
 public:
  explicit Finder(const SubmittedWork& work)
      : work_(work), found_(work.size()) {
    for (const LaunchShape& shape : work.process.launch_shapes) {
      shapes_.push_back(absl::HashOf(shape.grid, shape.block));
    }
    shapes_.push_back(absl::HashOf(LaunchShape().grid, LaunchShape().block));
    for (const WorkKind& kind : work.attribution.work_kinds) {
      kinds_.push_back(absl::HashOf(kind.leading.dims));
    }
  }

  std::vector<bool> Run() {
    LearnForwardPairs();
    std::vector<size_t> run;
    size_t previous = work_.size();
    size_t before = 0;  // signature of the previous one
    for (size_t i = 0; i < work_.size(); ++i) {
      if (!IsKernel(i) || !work_.is_backward[i]) continue;
      const size_t signature = Signature(i);
      const bool follows = previous < work_.size() && MayRepeat(i) &&
                           MayRepeat(previous) &&
                           forward_pairs_.contains(Pair(before, signature));
      if (!follows) {
        Settle(run);
        run.clear();
        run.push_back(i);
      } else {
        run.push_back(i);
      }
      previous = i;
      before = signature;
    }
    Settle(run);
    return std::move(found_);
  }

 private:
  // A replay is no new place in the program.
  bool IsKernel(size_t i) const {
    const Activity& activity = work_.ActivityAt(i);
    return activity.kind == ActivityKind::kKernel &&
           work_.At(i).layer_class != LayerClass::kComm &&
           (activity.graph_node == 0 || work_.order[i].captured);
  }

  bool MayRepeat(size_t i) const { return !IsBackward(work_.At(i).direction); }

  // What the kernel is and how it was launched.
  size_t Signature(size_t i) const {
    const Activity& activity = work_.ActivityAt(i);
    const size_t shape =
        shapes_[std::min<size_t>(activity.shape, shapes_.size() - 1)];
    const WorkId work = work_.At(i).work;
    if (!work.known()) return absl::HashOf(activity.name.value(), shape);
    return absl::HashOf(activity.name.value(), shape,
                        kinds_[work_.attribution.works[work.value()].kind]);
  }

  static uint64_t Pair(size_t a, size_t b) { return absl::HashOf(a, b); }

  void LearnForwardPairs() {
    size_t previous = work_.size();
    size_t before = 0;  // signature of the previous one
    for (size_t i = 0; i < work_.size(); ++i) {
      if (!IsKernel(i) || work_.is_backward[i]) continue;
      const size_t signature = Signature(i);
      if (previous < work_.size()) {
        forward_pairs_.insert(Pair(before, signature));
      }
      previous = i;
      before = signature;
    }
  }

  void Settle(const std::vector<size_t>& run) {
    // The kernels of one call follow each other wherever it is called.
    size_t calls = 0;
    WorkId last;
    for (const size_t i : run) {
      if (!last.known() || work_.At(i).work != last) ++calls;
      last = work_.At(i).work;
    }
    if (calls < 2) return;
    bool named = false;
    bool product = false;
    for (const size_t i : run) {
      named |= work_.At(i).direction == Direction::kForward;
      product |= IsProduct(work_.At(i).layer_class);
    }
    if (!named && !(product && calls >= kLongRun)) return;
    // Adding up gradients right before it looks like the forward pass's
    // additions before that place.
    bool began = false;
    for (const size_t i : run) {
      began |= work_.At(i).layer_class != LayerClass::kElementwise || Fills(i);
      found_[i] = began;
    }
  }

  // A state or a buffer at the begin of what is computed again.
  bool Fills(size_t i) const {
    return work_.model.texts[work_.ActivityAt(i).name].find("FillFunctor") !=
           std::string_view::npos;
  }

  const SubmittedWork& work_;
  std::vector<size_t> shapes_;  // hashes; the last: of an unknown shape
  std::vector<size_t> kinds_;   // hashes of the dimensions of works
  absl::flat_hash_set<uint64_t> forward_pairs_;
  std::vector<bool> found_;
};

}  // namespace

std::vector<bool> FindRecompute(const SubmittedWork& work) {
  return Finder(work).Run();
}

}  // namespace dltap::analyzer

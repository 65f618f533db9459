// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/call_signature.h"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "analyzer/attribution/base/engine_threads.h"
#include "analyzer/metrics/base/kernel_kind.h"
#include "analyzer/metrics/steps/graph_kinds.h"
#include "analyzer/metrics/steps/pass_signs.h"
#include "analyzer/metrics/steps/weight_places.h"
#include "analyzer/model/nearly_sorted.h"
#include "shim/specs/entry_point.h"

namespace dltap::analyzer {
namespace {

constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

// Classes whose kernels a library chooses by size: the class is all that
// stays the same from one size to the next.
bool IsNamedByClass(LayerClass layer_class) {
  switch (layer_class) {
    case LayerClass::kNorm:
    case LayerClass::kPool:
    case LayerClass::kSoftmax:
    case LayerClass::kComm: return true;
    default: return IsProduct(layer_class) || IsCopyOrMemset(layer_class);
  }
}

// How kernels are called, mangled or not.
bool IsInnerProduct(std::string_view kernel) {
  return kernel.find("dot_kernel") != std::string_view::npos;
}
bool FindsTheLargest(std::string_view kernel) {
  return kernel.find("reduce_kernel") != std::string_view::npos &&
         kernel.find("Max") != std::string_view::npos;
}
// What adds up the slices of a product that was split along K.
bool AddsSlices(std::string_view kernel) {
  return kernel.find("splitKreduce") != std::string_view::npos ||
         kernel.find("splitKReduce") != std::string_view::npos ||
         kernel.find("splitk_reduce") != std::string_view::npos;
}

// Collects the tokens of one process.
class TokenMaker {
 public:
  TokenMaker(const TraceModel& model, const Process& process,
             const ProcessAttribution& attribution, int64_t from_ns)
      : model_(model),
        process_(process),
        attribution_(attribution),
        from_ns_(from_ns),
        first_graphs_(FirstGraphs(process)),
        token_of_call_(process.calls.size(), kNone),
        kinds_(model.texts) {
    for (const Thread& thread : process.threads) {
      is_autograd_.push_back(thread.name.starts_with("pt_autograd"));
      any_autograd_ |= is_autograd_.back();
    }
    goes_backward_ =
        any_autograd_ || ShowsABackwardPass(model, process, attribution);
  }

  std::vector<CallToken> Run() {
    for (size_t i = 0; i < process_.activities.size(); ++i) {
      Add(process_.activities[i], attribution_.activities[i]);
    }
    SortNearlySorted(tokens_, [](const CallToken& a, const CallToken& b) {
      return a.begin_ns < b.begin_ns;
    });
    MarkWaits();
    MarkTrials();
    JoinCopies();
    return std::move(tokens_);
  }

 private:
  void Add(const Activity& activity, const Attributed& attributed) {
    if (BeginOf(activity, attributed) < from_ns_) return;
    if (attributed.autotune) {
      trials_.push_back(BeginOf(activity, attributed));
      return;
    }
    last_token_ = TokenOf(activity, attributed);
    last_ = &activity;
    AddFlags(activity, attributed, tokens_[last_token_]);
  }

  int64_t BeginOf(const Activity& activity, const Attributed& attributed) {
    return attributed.submitted_by.known()
               ? process_.calls[attributed.submitted_by.value()].begin_ns
               : activity.begin_ns;
  }

  // Part of the product before it, also where no call is known that did both.
  bool EndsTheLast(const Activity& activity) {
    return last_ != nullptr && tokens_[last_token_].product &&
           activity.graph_node == 0 && last_->graph_node == 0 &&
           activity.device == last_->device &&
           activity.stream == last_->stream &&
           LooksOf(activity.name).adds_slices;
  }

  // What no call is known of stands for its own call.
  size_t TokenOf(const Activity& activity, const Attributed& attributed) {
    if (EndsTheLast(activity)) {
      const int64_t end_ns =
          attributed.submitted_by.known()
              ? process_.calls[attributed.submitted_by.value()].end_ns
              : activity.end_ns;
      tokens_[last_token_].end_ns =
          std::max(tokens_[last_token_].end_ns, end_ns);
      return last_token_;
    }
    if (!attributed.submitted_by.known()) {
      tokens_.push_back({SignatureOf(activity, attributed, nullptr),
                         activity.begin_ns, activity.end_ns});
      return tokens_.size() - 1;
    }
    const size_t index = attributed.submitted_by.value();
    uint32_t& token = token_of_call_[index];
    if (token == kNone) {
      token = static_cast<uint32_t>(tokens_.size());
      const Call& call = process_.calls[index];
      tokens_.push_back({SignatureOf(activity, attributed, &call),
                         call.begin_ns, call.end_ns});
      tokens_.back().call = attributed.submitted_by;
    }
    return token;
  }

  uint32_t SignatureOf(const Activity& activity, const Attributed& attributed,
                       const Call* call) {
    const bool replay = activity.graph_node != 0 || activity.graph != 0;
    const LayerClass layer_class = ClassOf(attributed);
    size_t name = 0;
    if (replay) {
      name = activity.graph == 0 ? 0 : first_graphs_.at(activity.graph);
    } else if (!IsNamedByClass(layer_class)) {
      name =
          kinds_.Of(call != nullptr && call->function.known() ? call->function
                                                              : activity.name);
    }
    const uint64_t signature = uint64_t{name} << 24 | uint64_t{replay} << 16 |
                               static_cast<uint64_t>(layer_class) << 8 |
                               static_cast<uint64_t>(DirectionOf(attributed));
    return signatures_.try_emplace(signature, signatures_.size()).first->second;
  }

  // Whether products and what lies between them are regrouped depends on
  // their sizes.
  static LayerClass ClassOf(const Attributed& attributed) {
    if (attributed.class_from != ClassFrom::kComposite) {
      return attributed.layer_class;
    }
    return attributed.work.known() ? LayerClass::kGemm
                                   : LayerClass::kElementwise;
  }

  // The thread tells a transposed convolution's forward pass, which runs as
  // the backward pass of a convolution, from a backward pass; where no thread
  // does, that no weight has a gradient.
  Direction DirectionOf(const Attributed& attributed) const {
    if (attributed.direction == Direction::kUpdate) return Direction::kUpdate;
    if (any_autograd_ && attributed.submitted_by.known()) {
      const Call& call = process_.calls[attributed.submitted_by.value()];
      return is_autograd_[call.thread.value()] ? Direction::kBackward
                                               : Direction::kForward;
    }
    return goes_backward_ && IsBackward(attributed.direction)
               ? Direction::kBackward
               : Direction::kForward;
  }

  void AddFlags(const Activity& activity, const Attributed& attributed,
                CallToken& token) {
    const LayerClass layer_class = ClassOf(attributed);
    // A replayed graph's nodes have the directions of what was captured.
    const bool replay = activity.graph_node != 0;
    const Direction direction = replay && goes_backward_
                                    ? attributed.direction
                                    : DirectionOf(attributed);
    if (layer_class == LayerClass::kCopyH2d) {
      token.h2d = true;
      token.h2d_bytes = std::max(token.h2d_bytes, activity.bytes);
    }
    if (layer_class == LayerClass::kCopyD2h) {
      token.d2h = true;
      token.d2h_bytes = std::max(token.d2h_bytes, activity.bytes);
    }
    token.whole |= replay;
    if (!token.device.known()) token.device = activity.device;
    if (IsCopyOrMemset(layer_class)) return;
    token.computes = true;
    ++token.kernels;
    token.draws |= attributed.glue == Glue::kRandom;
    token.communicates |= layer_class == LayerClass::kComm;
    if (layer_class == LayerClass::kComm) return;
    // TensorFlow computes a loss and its gradient at once, also to evaluate.
    const bool backward = IsBackward(direction) &&
                          (any_autograd_ || layer_class != LayerClass::kLoss);
    // Gradients may be cleared before or behind the next batch is copied: that
    // neither ends nor begins an iteration.
    const bool update = direction == Direction::kUpdate &&
                        attributed.glue != Glue::kFill;
    if (IsProduct(layer_class) && !update) {
      token.product = true;
      token.reads_rows |= layer_class == LayerClass::kEmbedding && !backward;
      // The nodes of a graph may run in another order than they were made in.
      token.forward |= !backward && (replay || !token.backward);
    }
    if (layer_class == LayerClass::kReduction) {
      const Looks& looks = LooksOf(activity.name);
      token.inner_product |= looks.inner_product;
      token.largest_entry |= looks.largest_entry;
    }
    token.backward |= backward;
    token.update |= update;
    token.optimizer |= update && layer_class == LayerClass::kOptimizer;
  }

  struct Looks {
    bool inner_product = false;
    bool largest_entry = false;
    bool adds_slices = false;
  };

  // Each name is looked at once.
  const Looks& LooksOf(TextId name) {
    const auto [it, is_new] = looks_.try_emplace(name);
    if (is_new) {
      const std::string_view text = model_.texts[name];
      it->second = {IsInnerProduct(text), FindsTheLargest(text),
                    AddsSlices(text)};
    }
    return it->second;
  }

  template <typename Mark>
  void MarkAfter(std::vector<int64_t> moments, Mark mark) {
    std::sort(moments.begin(), moments.end());
    size_t next = 0;
    for (CallToken& token : tokens_) {
      bool any = false;
      for (; next < moments.size() && moments[next] <= token.begin_ns; ++next) {
        any = true;
      }
      if (any) mark(token);
    }
  }

  void MarkWaits() {
    std::vector<int64_t> waits;
    for (const Call& call : process_.calls) {
      const auto* info = model_.entry_points[call.entry.value()].info;
      if (info != nullptr && info->kind == specs::Kind::kSync) {
        waits.push_back(call.end_ns);
      }
    }
    MarkAfter(std::move(waits), [](CallToken& t) { t.after_wait = true; });
  }

  void MarkTrials() {
    MarkAfter(std::move(trials_), [](CallToken& t) { t.trial = true; });
  }

  // Threads may each read batches of their own, but not an engine's.
  bool AreOfOneLoop(const CallToken& a, const CallToken& b) const {
    if (!a.call.known() || !b.call.known() || SpreadsOneLoop(process_)) {
      return true;
    }
    return process_.calls[a.call.value()].thread ==
           process_.calls[b.call.value()].thread;
  }

  void JoinCopies() {
    const auto is_copy = [](const CallToken& t) {
      return t.h2d && !t.computes && !t.whole;
    };
    size_t kept = 0;
    for (const CallToken& token : tokens_) {
      if (kept > 0 && is_copy(token) && is_copy(tokens_[kept - 1]) &&
          AreOfOneLoop(token, tokens_[kept - 1])) {
        tokens_[kept - 1].end_ns =
            std::max(tokens_[kept - 1].end_ns, token.end_ns);
        tokens_[kept - 1].h2d_bytes =
            std::max(tokens_[kept - 1].h2d_bytes, token.h2d_bytes);
        continue;
      }
      tokens_[kept++] = token;
    }
    tokens_.erase(tokens_.begin() + static_cast<ptrdiff_t>(kept),
                  tokens_.end());
  }

  const TraceModel& model_;
  const Process& process_;
  const ProcessAttribution& attribution_;
  const int64_t from_ns_;
  const absl::flat_hash_map<uint32_t, uint32_t> first_graphs_;
  std::vector<bool> is_autograd_;  // per thread
  bool any_autograd_ = false;
  bool goes_backward_ = false;
  std::vector<CallToken> tokens_;
  std::vector<int64_t> trials_;  // when they were submitted
  std::vector<uint32_t> token_of_call_;
  const Activity* last_ = nullptr;  // that has a token, and its token
  size_t last_token_ = 0;
  // By graph or kind of kernel, class and direction, packed.
  absl::flat_hash_map<uint64_t, uint32_t> signatures_;
  absl::flat_hash_map<TextId, Looks> looks_;  // by kernel
  KernelKinds kinds_;
};

}  // namespace

bool IsProduct(LayerClass layer_class) {
  switch (layer_class) {
    case LayerClass::kConv:
    case LayerClass::kRnn:
    case LayerClass::kAttention:
    case LayerClass::kGemm:
    case LayerClass::kEmbedding:
    case LayerClass::kMoe: return true;
    default: return false;
  }
}

bool CopiesAValue(const CallToken& token) {
  constexpr uint64_t kMostBytes = 16;
  return token.h2d && token.h2d_bytes > 0 && token.h2d_bytes <= kMostBytes;
}

void TellWeightsApart(const TraceModel& model, const Process& process,
                      std::vector<CallToken>& tokens) {
  uint32_t next = 0;
  for (const CallToken& token : tokens) {
    next = std::max(next, token.signature + 1);
  }
  WeightPlaces places(model, process);
  absl::flat_hash_map<std::pair<uint32_t, uint64_t>, uint32_t> numbers;
  for (CallToken& token : tokens) {
    if (!token.product || !token.call.known()) continue;
    const uint64_t weights = places.Of(token.call);
    if (weights == 0) continue;
    const auto [it, is_new] =
        numbers.try_emplace(std::pair(token.signature, weights), next);
    if (is_new) ++next;
    token.signature = it->second;
  }
}

std::vector<CallToken> CallTokens(const TraceModel& model,
                                  const Process& process,
                                  const ProcessAttribution& attribution,
                                  int64_t from_ns) {
  return TokenMaker(model, process, attribution, from_ns).Run();
}

}  // namespace dltap::analyzer

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/step_parts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <ranges>
#include <span>

namespace dltap::analyzer {
namespace {

constexpr size_t kIterationsLookedAt = 4096;
constexpr double kUnlike = 0.05;     // of two iterations' products
constexpr double kOtherModel = 0.2;  // more is no variant of one model's
constexpr double kExplained = 0.25;  // of the unlikeness may remain
// Or so much, where it is small throughout: layers are left out by chance.
constexpr double kSmall = 0.25;
constexpr double kExplainedOfSmall = 0.1;

// Equal iterations in a row: these are a loop of their own.
constexpr size_t kOtherLoop = 8;

constexpr size_t kKinds = 256;     // of calls
constexpr size_t kMostKinds = 16;  // of iterations

// What an iteration is made of; signatures share places, rarely.
struct Profile {
  // In one pass forward and backward; of other backward work whether it is done
  // at all, for how often gradients are added up depends on the passes.
  std::array<double, 64> products{};
  std::array<uint32_t, 2 * kKinds> updates{};  // calls: optimizers', others
};

// What an iteration is told by.
enum class By : uint8_t { kProducts, kCalls, kGradients };

Profile ProfileOf(const std::vector<CallToken>& tokens, const TokenSpan& span,
                  By by, bool in_order) {
  Profile profile;
  std::array<double, 64> backward{};
  size_t passes = 0;
  bool forward = true;
  for (size_t t = span.first; t < span.end; ++t) {
    const CallToken& token = tokens[t];
    const size_t place = token.signature % profile.products.size();
    if (by == By::kGradients  ? token.product && token.backward
        : by == By::kProducts ? token.product
                              : token.computes) {
      ++profile.products[place];
    } else if (token.backward) {
      backward[place] = 1;
    }
    if (token.update) {
      const size_t kind = token.signature % kKinds;
      ++profile.updates[token.optimizer ? kind : kKinds + kind];
    }
    if (token.backward && forward && in_order) ++passes;
    if (token.backward || token.forward) forward = !token.backward;
  }
  // Fewer gradients added up before an update are no other kind of iteration.
  for (size_t i = 0; i < backward.size(); ++i) {
    double& count = profile.products[i];
    count =
        count / static_cast<double>(std::max<size_t>(1, passes)) + backward[i];
  }
  return profile;
}

By ProductsIfAny(const std::vector<CallToken>& tokens) {
  return std::any_of(tokens.begin(), tokens.end(),
                     [](const CallToken& token) { return token.product; })
             ? By::kProducts
             : By::kCalls;
}

std::vector<Profile> Profiles(const std::vector<CallToken>& tokens,
                              const std::vector<TokenSpan>& iterations,
                              bool in_order) {
  const By by = ProductsIfAny(tokens);
  std::vector<Profile> profiles;
  const size_t n = std::min(iterations.size(), kIterationsLookedAt);
  for (size_t i = 0; i < n; ++i) {
    profiles.push_back(ProfileOf(tokens, iterations[i], by, in_order));
  }
  return profiles;
}

// 0: the same products; 1: none in common.
double UnlikeProducts(const Profile& a, const Profile& b) {
  double differ = 0;
  double either = 0;
  for (size_t i = 0; i < a.products.size(); ++i) {
    differ += std::max(a.products[i], b.products[i]) -
              std::min(a.products[i], b.products[i]);
    either += std::max(a.products[i], b.products[i]);
  }
  return either > 0 ? differ / either : 0;
}

using Calls = std::span<const uint32_t>;

size_t Sum(Calls calls) {
  return std::accumulate(calls.begin(), calls.end(), size_t{0});
}

// Calls of kinds that the other update lacks.
size_t Only(Calls calls, Calls other) {
  size_t n = 0;
  for (size_t i = 0; i < calls.size(); ++i) n += other[i] == 0 ? calls[i] : 0;
  return n;
}

// Each has calls that the other lacks. If only one has more, that is an extra:
// a printed loss, a moving average. One call in place of another is a sum that
// begins anew.
double UnlikeCalls(Calls a, Calls b) {
  const size_t only_a = Only(a, b);
  const size_t only_b = Only(b, a);
  if (std::max(only_a, only_b) < 2) return 0;
  return static_cast<double>(2 * std::min(only_a, only_b)) /
         static_cast<double>(Sum(a) + Sum(b));
}

// Where both are an optimizer's, what is done beside it says nothing. Where one
// is, a single call of it stands for many calls, tensor by tensor.
double UnlikeUpdates(const Profile& a, const Profile& b) {
  const auto of_optimizer = [](const Profile& profile) {
    return Calls(profile.updates).first(kKinds);
  };
  const bool a_optimizes = Sum(of_optimizer(a)) > 0;
  const bool b_optimizes = Sum(of_optimizer(b)) > 0;
  if (a_optimizes && b_optimizes) {
    return UnlikeCalls(of_optimizer(a), of_optimizer(b));
  }
  const double unlike = UnlikeCalls(a.updates, b.updates);
  const bool differ = unlike > 0 && a_optimizes != b_optimizes;
  return differ ? std::max(unlike, kUnlike) : unlike;
}

double Unlikeness(const Profile& a, const Profile& b, PartsDiffer in) {
  const double updates = UnlikeUpdates(a, b);
  return in == PartsDiffer::kInUpdates
             ? updates
             : std::max(UnlikeProducts(a, b), updates);
}

std::vector<uint32_t> KindsBy(const std::vector<CallToken>& tokens,
                              const std::vector<TokenSpan>& iterations, By by,
                              double unlike = kUnlike) {
  std::vector<Profile> examples;
  std::vector<uint32_t> kinds;
  for (const TokenSpan& iteration : iterations) {
    const Profile profile = ProfileOf(tokens, iteration, by, /*in_order=*/true);
    const auto like = std::ranges::find_if(examples, [&](const Profile& other) {
      return Unlikeness(profile, other, PartsDiffer::kAnyhow) < unlike;
    });
    kinds.push_back(static_cast<uint32_t>(like - examples.begin()));
    if (like != examples.end()) continue;
    if (examples.size() == kMostKinds) return {};
    examples.push_back(profile);
  }
  return kinds;
}

// Where the kind changes, is it the same change `parts` iterations later? A
// change beyond which the run ends says nothing: once is no repetition. Nor is
// it one if nothing changes there, in most cases, though both sides are alike
// (all that a first update and a later one do is done in the later one).
bool ChangesRecur(const std::vector<Profile>& profiles,
                  const std::vector<double>& to_next, size_t parts,
                  double explained, PartsDiffer in) {
  double before = 0;
  double after = 0;
  double once = 0;
  for (size_t i = 0; i + 1 + parts < profiles.size(); ++i) {
    const double weight = to_next[i];
    if (weight == 0) continue;
    before += 2 * weight * weight;
    after +=
        weight * (Unlikeness(profiles[i], profiles[i + parts], in) +
                  Unlikeness(profiles[i + 1], profiles[i + 1 + parts], in));
    if (to_next[i + parts] == 0) once += 2 * weight * weight;
  }
  return before > 0 && after <= explained * before && 2 * once <= before;
}

bool AreAlike(const std::vector<uint32_t>& kinds) {
  return std::ranges::all_of(kinds, [](uint32_t kind) { return kind == 0; });
}

}  // namespace

bool AreLoopsByTurns(const std::vector<bool>& changes) {
  bool any = false;
  size_t row = 1;
  for (const bool changed : changes) {
    if (changed) {
      if (row < kOtherLoop) return false;
      any = true;
      row = 0;
    }
    ++row;
  }
  return any;
}

size_t PartsPerStep(const std::vector<CallToken>& tokens,
                    const std::vector<TokenSpan>& iterations, bool in_order,
                    PartsDiffer in) {
  const std::vector<Profile> profiles = Profiles(tokens, iterations, in_order);
  const size_t n = profiles.size();
  if (n < 2) return 1;
  std::vector<double> to_next(n - 1);
  for (size_t i = 0; i + 1 < n; ++i) {
    const double unlike = Unlikeness(profiles[i], profiles[i + 1], in);
    to_next[i] = unlike >= kUnlike ? unlike : 0;
  }
  const auto changes =
      std::views::transform(to_next, [](double unlike) { return unlike > 0; });
  if (AreLoopsByTurns({changes.begin(), changes.end()})) return 1;
  const double explained =
      std::ranges::max(to_next) < kSmall ? kExplainedOfSmall : kExplained;
  for (size_t parts = 2; parts <= std::min(kMostParts, n / kMinRepeats);
       ++parts) {
    if (ChangesRecur(profiles, to_next, parts, explained, in)) return parts;
  }
  return 1;
}

std::vector<uint32_t> KindsByGradients(
    const std::vector<CallToken>& tokens,
    const std::vector<TokenSpan>& iterations) {
  return KindsBy(tokens, iterations, By::kGradients);
}

std::vector<uint32_t> KindsOf(const std::vector<CallToken>& tokens,
                              const std::vector<TokenSpan>& iterations) {
  std::vector<uint32_t> kinds = KindsByGradients(tokens, iterations);
  return AreAlike(kinds) ? KindsBy(tokens, iterations, ProductsIfAny(tokens))
                         : kinds;
}

std::vector<uint32_t> KindsOfModels(const std::vector<CallToken>& tokens,
                                    const std::vector<TokenSpan>& iterations) {
  std::vector<uint32_t> models =
      KindsBy(tokens, iterations, By::kGradients, kOtherModel);
  if (AreAlike(models)) models.clear();
  return models;
}

}  // namespace dltap::analyzer

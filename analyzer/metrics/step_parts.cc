// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/step_parts.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace dltap::analyzer {
namespace {

constexpr size_t kMostParts = 64;
constexpr size_t kIterationsLookedAt = 4096;
constexpr double kUnlike = 0.05;     // of two iterations' products
constexpr double kExplained = 0.25;  // of the unlikeness may remain

// How often each product is called; signatures share places, rarely.
using Profile = std::array<uint32_t, 64>;

std::vector<Profile> Profiles(const std::vector<CallToken>& tokens,
                              const std::vector<TokenSpan>& iterations) {
  const bool any_product =
      std::any_of(tokens.begin(), tokens.end(),
                  [](const CallToken& token) { return token.product; });
  std::vector<Profile> profiles;
  const size_t n = std::min(iterations.size(), kIterationsLookedAt);
  for (size_t i = 0; i < n; ++i) {
    Profile& profile = profiles.emplace_back();
    for (size_t t = iterations[i].first; t < iterations[i].end; ++t) {
      const CallToken& token = tokens[t];
      if (any_product ? token.product : token.computes) {
        ++profile[token.signature % profile.size()];
      }
    }
  }
  return profiles;
}

// 0: the same products; 1: none in common.
double Unlikeness(const Profile& a, const Profile& b) {
  double differ = 0;
  double either = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    differ += std::max(a[i], b[i]) - std::min(a[i], b[i]);
    either += std::max(a[i], b[i]);
  }
  return either > 0 ? differ / either : 0;
}

}  // namespace

size_t PartsPerStep(const std::vector<CallToken>& tokens,
                    const std::vector<TokenSpan>& iterations) {
  const std::vector<Profile> profiles = Profiles(tokens, iterations);
  const size_t n = profiles.size();
  if (n < 2) return 1;
  std::vector<double> to_next(n - 1);
  for (size_t i = 0; i + 1 < n; ++i) {
    const double unlike = Unlikeness(profiles[i], profiles[i + 1]);
    to_next[i] = unlike >= kUnlike ? unlike : 0;
  }
  // Where the kind changes, is it the same again `parts` iterations later?
  for (size_t parts = 2; parts <= std::min(kMostParts, n / kMinRepeats);
       ++parts) {
    double before = 0;
    double after = 0;
    for (size_t i = 0; i + parts < n; ++i) {
      if (to_next[i] == 0) continue;
      before += to_next[i] * to_next[i];
      after += to_next[i] * Unlikeness(profiles[i], profiles[i + parts]);
    }
    if (before > 0 && after <= kExplained * before) return parts;
  }
  return 1;
}

}  // namespace dltap::analyzer

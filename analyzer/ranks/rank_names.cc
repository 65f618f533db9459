// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ranks/rank_names.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace dltap::analyzer {
namespace {

constexpr size_t kMostStretches = 6;

struct Stretch {
  int64_t first;
  int64_t last;
};

std::vector<Stretch> StretchesOf(const std::vector<int64_t>& ranks) {
  std::vector<Stretch> out;
  for (const int64_t rank : ranks) {
    if (!out.empty() && out.back().last + 1 == rank) {
      out.back().last = rank;
    } else {
      out.push_back({rank, rank});
    }
  }
  return out;
}

std::string TextOf(const Stretch& stretch) {
  if (stretch.first == stretch.last) return absl::StrCat(stretch.first);
  const bool are_two = stretch.first + 1 == stretch.last;
  return absl::StrCat(stretch.first, are_two ? ", " : " to ", stretch.last);
}

}  // namespace

std::string RankNames(std::vector<int64_t> ranks) {
  std::ranges::sort(ranks);
  std::string out = ranks.size() == 1 ? "rank " : "ranks ";
  const std::vector<Stretch> stretches = StretchesOf(ranks);
  size_t told = 0;
  for (size_t i = 0; i < stretches.size(); ++i) {
    if (i == kMostStretches) {
      return absl::StrCat(out, " and ", ranks.size() - told, " more");
    }
    absl::StrAppend(&out, i == 0 ? "" : ", ", TextOf(stretches[i]));
    told += static_cast<size_t>(stretches[i].last - stretches[i].first) + 1;
  }
  return out;
}

}  // namespace dltap::analyzer

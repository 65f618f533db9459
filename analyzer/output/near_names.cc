// SPDX-License-Identifier: Apache-2.0
#include "analyzer/output/near_names.h"

#include <algorithm>
#include <cctype>

namespace dltap::analyzer {
namespace {

constexpr size_t kMostNames = 4;

// Letters in lower case, without the dashes of an option.
std::string Bare(std::string_view name) {
  name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
  std::string bare(name);
  for (char& c : bare) c = static_cast<char>(std::tolower(c));
  return bare;
}

// Letters put in, left out, replaced, or swapped with their neighbour.
size_t Slips(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  std::vector<size_t> next(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      next[j] = std::min({row[j] + 1, next[j - 1] + 1,
                          row[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped =
          i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) next[j] = std::min(next[j], before[j - 2] + 1);
    }
    before.swap(row);
    row.swap(next);
  }
  return row[b.size()];
}

bool IsForm(std::string_view typed, std::string_view name) {
  constexpr size_t kLeast = 2;
  return std::min(typed.size(), name.size()) >= kLeast &&
         (name.starts_with(typed) || typed.starts_with(name));
}

bool BeginsAlike(std::string_view typed, std::string_view name) {
  constexpr size_t kLeast = 3;
  const auto [end, other] =
      std::mismatch(typed.begin(), typed.end(), name.begin(), name.end());
  const auto common = static_cast<size_t>(end - typed.begin());
  return common >= kLeast && 2 * common >= typed.size();
}

// The fewest slips that lead to one of `known`, if so few are likely.
size_t LikelySlips(const std::string& typed,
                   const std::vector<std::string>& known) {
  constexpr size_t kLettersForASlip = 3;
  size_t fewest = typed.size() / kLettersForASlip;
  for (const std::string& name : known) {
    fewest = std::min(fewest, Slips(typed, Bare(name)));
  }
  return fewest;
}

}  // namespace

std::vector<std::string> NearNames(std::string_view typed,
                                   const std::vector<std::string>& known) {
  const std::string bare = Bare(typed);
  const size_t slips = LikelySlips(bare, known);
  std::vector<std::string> near;
  for (const std::string& name : known) {
    const std::string other = Bare(name);
    const bool is_near = IsForm(bare, other) || BeginsAlike(bare, other) ||
                         (!bare.empty() && Slips(bare, other) <= slips);
    if (is_near && near.size() < kMostNames) near.push_back(name);
  }
  return near;
}

std::string DidYouMean(std::string_view typed,
                       const std::vector<std::string>& known) {
  std::string text;
  for (const std::string& name : NearNames(typed, known)) {
    text += (text.empty() ? "; did you mean " : ", ") + name;
  }
  return text.empty() ? text : text + "?";
}

std::string WhatThereIs(std::string_view typed,
                        const std::vector<std::string>& known) {
  std::string text = AndThen(DidYouMean(typed, known), "known are: ");
  for (const std::string& name : known) {
    text += (&name == &known.front() ? "" : ", ") + name;
  }
  return text;
}

std::string AndThen(const std::string& text, const std::string& next) {
  return text + (text.ends_with('?') ? " " : "; ") + next;
}

}  // namespace dltap::analyzer

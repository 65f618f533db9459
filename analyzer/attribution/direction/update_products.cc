// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/direction/update_products.h"

#include <algorithm>
#include <cstddef>
#include <map>

namespace dltap::analyzer {
namespace {

constexpr size_t kLeastRepeats = 2;
constexpr double kNearlyAll = 0.8;    // of what precedes F
constexpr double kAlike = 0.5;        // of F: U is a pass forward, too
constexpr double kSeldom = 0.5;       // of the updates: fewer have results
constexpr uint64_t kValueBytes = 16;  // a copy of no more is no result

using Names = std::vector<size_t>;

// What is submitted between two backward passes.
struct Row {
  size_t first = 0;             // submission
  std::vector<size_t> kernels;  // of layers: submissions
  Names names;                  // of these
  size_t products = 0;          // the first so many are nothing else
  size_t activated = 0;         // behind the first so many comes an activation
  std::vector<size_t> reads;    // of results, behind so many
  // An optimizer's kernels, and behind them an input, in front of all of these.
  bool after_optimizer = false;
  bool takes_input = false;
};

bool IsALayers(const Activity& activity, const Attributed& attributed) {
  return activity.kind == ActivityKind::kKernel &&
         attributed.direction != Direction::kUpdate &&
         IsOfALayer(attributed.layer_class);
}

// No update has these. (Rows by index it may read.)
bool IsOfLayersAlone(LayerClass layer_class) {
  return layer_class != LayerClass::kGemm &&
         layer_class != LayerClass::kEmbedding;
}

// A product's result, as it is, is what a network's activations take; an update
// has none.
bool Activates(const SubmittedWork& work, size_t i, const Row& row) {
  return work.At(i).layer_class == LayerClass::kActivation &&
         !row.kernels.empty() && row.kernels.back() + 1 == i;
}

// Takes up what stands in front of the first layer's kernel of a row.
class InputSeeker {
 public:
  void Begin() { after_optimizer_ = false; }
  void See(const Attributed& attributed, Row& row) {
    if (!row.names.empty()) return;
    after_optimizer_ |= attributed.direction == Direction::kUpdate;
    row.after_optimizer = after_optimizer_;
    row.takes_input |=
        after_optimizer_ && attributed.layer_class == LayerClass::kCopyH2d;
  }

 private:
  bool after_optimizer_ = false;
};

// Those that hold a layer's kernel, and what follows the last backward pass.
std::vector<Row> RowsOf(const SubmittedWork& work) {
  std::vector<Row> rows(1);
  InputSeeker inputs;
  for (size_t i = 0; i < work.size(); ++i) {
    if (work.is_backward[i]) {
      if (!rows.back().names.empty()) rows.emplace_back();
      rows.back().first = i + 1;
      rows.back().takes_input = false;
      inputs.Begin();
      continue;
    }
    Row& row = rows.back();
    const Activity& activity = work.ActivityAt(i);
    const Attributed& attributed = work.At(i);
    inputs.See(attributed, row);
    if (Activates(work, i, row) && row.activated == 0) {
      row.activated = row.names.size();
    }
    if (attributed.layer_class == LayerClass::kCopyD2h &&
        activity.bytes > kValueBytes) {
      row.reads.push_back(row.names.size());
    }
    if (!IsALayers(activity, attributed)) continue;
    if (row.products == row.names.size() &&
        !IsOfLayersAlone(attributed.layer_class)) {
      ++row.products;
    }
    row.kernels.push_back(i);
    row.names.push_back(activity.name.value());
  }
  return rows;
}

bool BeginsWith(const Names& names, const Names& begin) {
  return begin.size() <= names.size() &&
         std::equal(begin.begin(), begin.end(), names.begin());
}

bool EndsWith(const Names& names, const Names& end) {
  return end.size() <= names.size() &&
         std::equal(end.rbegin(), end.rend(), names.rbegin());
}

bool BeginLike(const Names& names, const Names& forward) {
  const size_t most = std::min(names.size(), forward.size());
  size_t common = 0;
  while (common < most && names[common] == forward[common]) ++common;
  return common == names.size() ||
         static_cast<double>(common) >=
             kAlike * static_cast<double>(forward.size());
}

// Whether the first `size` kernels of `row` are of an evaluation.
bool IsEvaluation(const Row& row, size_t size, bool is_seldom) {
  if (row.takes_input || row.products < size) return true;
  if (row.activated > 0 && row.activated <= size) return true;
  return is_seldom && row.after_optimizer &&
         std::ranges::find(row.reads, size) != row.reads.end();
}

// U; nothing if there is none.
Names UpdateIn(const std::vector<Row>& rows) {
  const Names& forward = rows.front().names;
  std::vector<size_t> longer;
  for (size_t i = 1; i + 1 < rows.size(); ++i) {
    const Names& names = rows[i].names;
    if (names.size() != forward.size() && EndsWith(names, forward)) {
      longer.push_back(i);
    }
  }
  const auto updates = std::ranges::count_if(
      rows, [](const Row& row) { return row.after_optimizer; });
  const bool is_seldom = static_cast<double>(longer.size()) <
                         kSeldom * static_cast<double>(updates);
  std::map<Names, size_t> counts;
  for (const size_t i : longer) {
    const Names& names = rows[i].names;
    const size_t size = names.size() - forward.size();
    if (IsEvaluation(rows[i], size, is_seldom)) continue;
    ++counts[Names(names.begin(),
                   names.begin() + static_cast<ptrdiff_t>(size))];
  }
  for (const auto& [names, count] : counts) {
    if (count >= kLeastRepeats &&
        static_cast<double>(count) >=
            kNearlyAll * static_cast<double>(longer.size()) &&
        BeginsWith(rows.back().names, names) && !BeginLike(names, forward)) {
      return names;
    }
  }
  return {};
}

}  // namespace

std::vector<bool> FindUpdateProducts(const SubmittedWork& work) {
  std::vector<bool> in_update(work.size());
  const std::vector<Row> rows = RowsOf(work);
  if (rows.front().names.empty() || rows.back().names.empty()) {
    return in_update;  // mostly: nothing is multiplied after the last pass
  }
  const Names update = UpdateIn(rows);
  if (update.empty()) return in_update;
  for (size_t r = 1; r < rows.size(); ++r) {
    if (!BeginsWith(rows[r].names, update)) continue;
    const size_t last = rows[r].kernels[update.size() - 1];
    std::fill(in_update.begin() + static_cast<ptrdiff_t>(rows[r].first),
              in_update.begin() + static_cast<ptrdiff_t>(last) + 1, true);
  }
  return in_update;
}

}  // namespace dltap::analyzer

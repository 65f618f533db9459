// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/direction/update_products.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>

namespace dltap::analyzer {
namespace {

constexpr size_t kLeastRepeats = 2;
constexpr double kNearlyAll = 0.8;    // of what precedes F
constexpr double kAlike = 0.5;        // of F: U is a pass forward, too
constexpr double kSeldom = 0.5;       // of the updates: fewer have results
constexpr uint64_t kValueBytes = 16;  // a copy of no more is no result

using Names = std::vector<size_t>;
using NamesView = std::span<const size_t>;

// What is submitted between two backward passes.
struct Row {
  size_t first = 0;             // submission
  std::vector<size_t> kernels;  // of layers: submissions
  Names names;                  // of these
  size_t products = 0;          // the first so many are nothing else
  size_t activated = 0;         // behind the first so many comes an activation
  std::vector<size_t> reads;    // of results, behind so many
  std::vector<size_t> inputs;   // from the host, behind so many
  // An optimizer's kernels, and behind them an input, in front of all of these.
  bool after_optimizer = false;
  bool takes_input = false;
  bool optimizes = false;  // an optimizer's kernels, anywhere
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
    row.optimizes |= attributed.direction == Direction::kUpdate;
    if (Activates(work, i, row) && row.activated == 0) {
      row.activated = row.names.size();
    }
    if (activity.bytes > kValueBytes) {
      if (attributed.layer_class == LayerClass::kCopyD2h) {
        row.reads.push_back(row.names.size());
      } else if (attributed.layer_class == LayerClass::kCopyH2d) {
        row.inputs.push_back(row.names.size());
      }
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

bool BeginLike(NamesView names, const Names& forward) {
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
  if (!is_seldom) return false;
  return !row.optimizes ||
         (row.after_optimizer &&
          std::ranges::find(row.reads, size) != row.reads.end());
}

// Whether `names` are in `all`, in this order.
bool AreIn(NamesView names, NamesView all) {
  size_t found = 0;
  for (size_t i = 0; i < all.size() && found < names.size(); ++i) {
    found += all[i] == names[found] ? 1 : 0;
  }
  return found == names.size();
}

// Whether one update does all that the other one does, in its order: matrices
// are taken apart now and then, before the first update, too.
bool AreKin(const Names& a, const Names& b) {
  return AreIn(a, b) || AreIn(b, a);
}

// What stands in front of F.
Names InFront(const Row& row, const Names& forward) {
  return {row.names.begin(),
          row.names.end() - static_cast<ptrdiff_t>(forward.size())};
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
    const Names names = InFront(rows[i], forward);
    if (!IsEvaluation(rows[i], names.size(), is_seldom)) ++counts[names];
  }
  const auto most = std::ranges::max_element(
      counts, {}, [](const auto& entry) { return entry.second; });
  if (most == counts.end() || most->second < kLeastRepeats) return {};
  const Names& update = most->first;
  size_t kin = 0;
  for (const auto& [names, count] : counts) {
    if (AreKin(names, update) && !BeginLike(names, forward)) kin += count;
  }
  const bool is_update = static_cast<double>(kin) >=
                             kNearlyAll * static_cast<double>(longer.size()) &&
                         AreIn(update, rows.back().names) &&
                         !BeginLike(update, forward);
  return is_update ? update : Names();
}

// Whether the first `size` kernels of `row` are of an update that does more or
// less than U: nothing else goes on between them.
bool IsOtherUpdate(const Row& row, size_t size) {
  const auto is_inside = [size](size_t behind) {
    return behind > 0 && behind < size;
  };
  const auto is_result = [&](size_t behind) {
    return is_inside(behind) || (row.after_optimizer && behind == size);
  };
  return !IsEvaluation(row, size, /*is_seldom=*/false) &&
         std::ranges::none_of(row.reads, is_result) &&
         std::ranges::none_of(row.inputs, is_inside);
}

// How many kernels stand in front of the first that begin like F: all of U with
// more between, or, in front of F alone, some of U. 0: they are others.
size_t SizeInFront(NamesView names, const Names& update, const Names& forward) {
  size_t size = 0;
  size_t found = 0;
  while (!BeginLike(names.subspan(size), forward)) {
    if (found < update.size() && names[size] == update[found]) ++found;
    ++size;
  }
  const bool has_less =
      names.size() == size + forward.size() && AreIn(names.first(size), update);
  return found == update.size() || has_less ? size : 0;
}

// How many kernels of `row` are of its update.
size_t SizeOfUpdate(const Row& row, const Names& update, const Names& forward) {
  const size_t size = SizeInFront(row.names, update, forward);
  if (size > 0 && IsOtherUpdate(row, size)) return size;
  return BeginsWith(row.names, update) ? update.size() : 0;
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
    const size_t size = SizeOfUpdate(rows[r], update, rows.front().names);
    if (size == 0) continue;
    const size_t last = rows[r].kernels[size - 1];
    std::fill(in_update.begin() + static_cast<ptrdiff_t>(rows[r].first),
              in_update.begin() + static_cast<ptrdiff_t>(last) + 1, true);
  }
  return in_update;
}

}  // namespace dltap::analyzer

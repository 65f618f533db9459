// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/direction/next_batch.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "analyzer/attribution/base/glue.h"
#include "analyzer/attribution/names/name_rules.h"

namespace dltap::analyzer {
namespace {

using Names = std::vector<size_t>;

// What follows a backward pass, up to the first work of a layer or the next
// backward pass.
struct Row {
  size_t first = 0;  // submission
  // On elements: no fills, copies, random numbers. How often each is done; sums
  // do not count, and unless there is one for each weight (the norms of
  // gradients), nor does what is summed up.
  std::map<size_t, size_t> operations;
  size_t sums = 0;
  bool operates_at_all = false;
  size_t backward_products = 0;  // of the pass before
  bool updates = false;          // holds an optimizer's kernels
  bool replays = false;          // what a graph does is not known
  bool before_replay = false;    // of a pass forward
  bool has_loss = false;
  // Kernels behind the last one of the optimizer.
  std::vector<size_t> kernels;  // submissions
  Names names;
  // Submission of the first random numbers, or numbers in order.
  std::optional<size_t> makes_data = std::nullopt;
  // Submission of the first fill with whole numbers: neither weights nor
  // gradients are such.
  std::optional<size_t> fills_numbers = std::nullopt;
  // Submission of the first operation on elements there.
  std::optional<size_t> operates = std::nullopt;
  bool is_whole_pass = false;  // up to a backward pass: a loss without layers

  // What updates weights does the same with each of them, half as many as
  // products went backward at least.
  bool MayUpdate() const {
    if (updates || replays || before_replay) return true;
    if (is_whole_pass || has_loss) return false;
    size_t all = 0;
    size_t most = 0;
    for (const auto& [name, times] : operations) {
      all += times;
      most = std::max(most, times);
    }
    return 2 * most >= backward_products && 2 * all >= 3 * operations.size();
  }
};

class RowFinder {
 public:
  explicit RowFinder(const SubmittedWork& work) : work_(work) {}

  std::vector<Row> Run() {
    for (size_t i = 0; i < work_.size(); ++i) {
      any_updates_ |= work_.At(i).direction == Direction::kUpdate;
      if (work_.is_backward[i]) {
        VisitBackward(i);
      } else if (in_row_) {
        Visit(i);
      }
    }
    return std::move(rows_);
  }
  // Whether there are kernels of an optimizer, in rows or not: where replays
  // hold the other passes backward, nothing may show them.
  bool any_updates() const { return any_updates_; }

 private:
  void VisitBackward(size_t i) {
    if (!in_pass_ && in_row_ && !rows_.empty()) {
      rows_.back().is_whole_pass = !work_.IsReplayed(i);
    }
    if (!in_pass_) products_ = 0;
    in_pass_ = in_row_ = true;
    products_ += IsOfALayer(work_.At(i).layer_class) ? 1 : 0;
  }

  void Visit(size_t i) {
    const bool is_update = work_.At(i).direction == Direction::kUpdate;
    if (!is_update && IsOfALayer(work_.At(i).layer_class)) {
      if (!in_pass_ && !rows_.empty())
        rows_.back().before_replay = work_.IsReplayed(i);
      in_pass_ = in_row_ = false;
      return;
    }
    if (in_pass_) {
      rows_.emplace_back();
      rows_.back().first = i;
      rows_.back().backward_products = products_;
    }
    in_pass_ = false;
    Add(i, is_update, rows_.back());
  }

  void Add(size_t i, bool is_update, Row& row) {
    const Activity& activity = work_.ActivityAt(i);
    row.replays |= work_.IsReplayed(i);
    if (activity.kind != ActivityKind::kKernel) return;
    if (is_update) {
      row.updates = true;
      row.kernels.clear();
      row.names.clear();
      row.makes_data.reset();
      row.fills_numbers.reset();
      row.operates.reset();
      return;
    }
    row.kernels.push_back(i);
    row.names.push_back(activity.name.value());
    const Glue glue = GlueOf(activity, work_.At(i).layer_class);
    if (MakesData(activity, glue) && !row.makes_data) row.makes_data = i;
    if (FillsNumbers(activity) && !row.fills_numbers) row.fills_numbers = i;
    if (glue != Glue::kNone && glue != Glue::kBias) return;
    row.operates_at_all = true;
    if (work_.At(i).layer_class == LayerClass::kReduction) {
      if (2 * ++row.sums < row.backward_products) row.operations.clear();
    } else {
      ++row.operations[activity.name.value()];
    }
    row.has_loss |= work_.At(i).layer_class == LayerClass::kLoss;
    if (!row.operates) row.operates = i;
  }

  // No optimizer draws or counts.
  bool MakesData(const Activity& activity, Glue glue) {
    if (glue == Glue::kRandom) return true;
    const auto [it, is_new] = ranges_.try_emplace(activity.name.value());
    if (is_new) {
      it->second = Demangle(work_.model.texts[activity.name]).find("arange") !=
                   std::string::npos;
    }
    return it->second;
  }

  bool FillsNumbers(const Activity& activity) {
    const auto [it, is_new] = fills_.try_emplace(activity.name.value());
    if (is_new) {
      it->second =
          FillsWholeNumbers(Demangle(work_.model.texts[activity.name]));
    }
    return it->second;
  }

  Glue GlueOf(const Activity& activity, LayerClass layer_class) {
    const std::pair key(activity.name.value(), layer_class);
    const auto [it, is_new] = glue_.try_emplace(key);
    if (is_new) {
      it->second =
          GlueOfName(Demangle(work_.model.texts[activity.name]), layer_class);
    }
    return it->second;
  }

  const SubmittedWork& work_;
  absl::flat_hash_map<std::pair<size_t, LayerClass>, Glue> glue_;
  absl::flat_hash_map<size_t, bool> ranges_;  // by name
  absl::flat_hash_map<size_t, bool> fills_;   // by name
  std::vector<Row> rows_;
  bool any_updates_ = false;
  bool in_pass_ = false;
  bool in_row_ = false;
  size_t products_ = 0;
};

bool EndsWith(const Names& names, const Names& end) {
  return end.size() <= names.size() &&
         std::equal(end.rbegin(), end.rend(), names.rbegin());
}

std::optional<size_t> First(std::optional<size_t> a, std::optional<size_t> b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

// Where the next batch begins in a row without an optimizer's kernels.
std::optional<size_t> BeginWithout(const Row& row) {
  // Without any operation nothing is updated.
  return !row.operates_at_all ? First(row.makes_data, row.fills_numbers)
                              : row.makes_data;
}

// Where the next batch begins in a row that updates, if anywhere; `batches` are
// whole rows without update.
std::optional<size_t> BeginIn(const Row& row, const std::set<Names>& batches) {
  std::optional<size_t> begin = row.makes_data;
  // A replay is told by whole numbers where its random ones go on.
  if (!row.before_replay) begin = First(begin, row.fills_numbers);
  if (row.is_whole_pass && row.operates) {
    begin = First(begin, row.operates);
  }
  for (const Names& batch : batches) {
    if (!EndsWith(row.names, batch)) continue;
    begin = First(begin, row.kernels[row.names.size() - batch.size()]);
  }
  return begin;
}

}  // namespace

std::vector<bool> FindNextBatches(const SubmittedWork& work) {
  std::vector<bool> begins(work.size());
  RowFinder finder(work);
  const std::vector<Row> rows = finder.Run();
  if (!finder.any_updates()) return begins;
  std::set<Names> batches;
  for (const Row& row : rows) {
    if (row.MayUpdate()) continue;
    begins[row.first] = true;
    if (!row.names.empty()) batches.insert(row.names);
  }
  for (const Row& row : rows) {
    const auto at = row.updates ? BeginIn(row, batches) : BeginWithout(row);
    if (at && !row.replays) begins[*at] = true;
  }
  return begins;
}

}  // namespace dltap::analyzer

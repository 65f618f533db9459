// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/event_rows.h"

#include <algorithm>

#include "analyzer/exporters/event_tables.h"

namespace dltap::analyzer {
namespace {

constexpr size_t kProcess = 0;
constexpr size_t kRank = 1;

}  // namespace

EventRows::EventRows(const ExportInput& input,
                     std::span<const TypedColumn> columns)
    : input_(input), columns_(columns), texts_(columns.size()) {}

void EventRows::BeginProcess(size_t p) {
  const uint32_t owner =
      texts_[kProcess].Add(OwnerOf(input_.model.processes[p]));
  starts_.push_back({p, events_.size(), owner});
}

void EventRows::Fill(size_t first, size_t count,
                     std::span<ColumnPlace> places) {
  const size_t end = first + count;
  auto start = std::upper_bound(
      starts_.begin(), starts_.end(), first,
      [](size_t row, const Start& start) { return row < start.row; });
  for (size_t at = first; at < end; ++start) {
    const size_t next = start == starts_.end() ? events_.size() : start->row;
    const size_t stop = std::min(end, next);
    if (at < stop) {
      const Start& of = *(start - 1);
      FillBlock({of.process, of.owner,
                 std::span(events_).subspan(at, stop - at), at - first},
                places);
    }
    at = stop;
  }
}

void EventRows::FillOwner(const Block& block,
                          std::span<ColumnPlace> places) const {
  const std::optional<int> rank = input_.model.processes[block.process].rank;
  for (size_t i = 0; i < block.events.size(); ++i) {
    const size_t row = block.row + i;
    places[kProcess].Text(row, block.owner);
    rank ? places[kRank].Integer(row, *rank) : places[kRank].Null(row);
  }
}

}  // namespace dltap::analyzer

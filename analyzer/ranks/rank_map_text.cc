// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ranks/rank_map_text.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "analyzer/reports/render.h"

namespace dltap::analyzer {
namespace {

constexpr size_t kMaps = 3;
constexpr size_t kLabel = 15;  // "rank 1000-1031 "
constexpr size_t kSpace = 2;   // between maps
constexpr const char* kColumns[kMaps] = {"wait_ms", "transfer_ms",
                                         "compute_ms"};
constexpr const char* kNames[kMaps] = {"wait", "transfer", "compute"};
constexpr const char* kShades[] = {" ", "░", "▒", "▓", "█"};
constexpr size_t kLevels = std::size(kShades);
// Less than this of the most is not drawn out: noise would look like news.
constexpr double kLeastSpan = 0.2;

struct Grid {
  std::map<int64_t, size_t> row_of;  // by the first rank
  int64_t first_column = 0;
  int64_t columns = 0;
};

Grid GridOf(const RankMap& map) {
  Grid grid;
  int64_t last = 0;
  for (size_t i = 0; i < map.cells.size(); ++i) {
    const int64_t column =
        map.cells.Whole(i, "step").value_or(0) / map.steps_per_column;
    if (i == 0) grid.first_column = last = column;
    grid.first_column = std::min(grid.first_column, column);
    last = std::max(last, column);
    grid.row_of[map.cells.Whole(i, "first_rank").value_or(0)];
  }
  size_t row = 0;
  for (auto& [rank, place] : grid.row_of) place = row++;
  grid.columns = last - grid.first_column + 1;
  return grid;
}

struct Scale {
  double least = 0;
  double most = 0;
  bool is_known = false;

  size_t LevelOf(double value) const {
    const double span = most - std::min(least, most * (1 - kLeastSpan));
    if (span <= 0) return 0;
    const double share = 1 - (most - value) / span;
    return static_cast<size_t>(std::clamp(share, 0.0, 1.0) * (kLevels - 1) +
                               0.5);
  }
};

Scale ScaleOf(const Answer& cells, const char* column) {
  Scale scale;
  for (size_t i = 0; i < cells.size(); ++i) {
    const auto value = cells.Number(i, column);
    if (!value) continue;
    scale.least = scale.is_known ? std::min(scale.least, *value) : *value;
    scale.most = scale.is_known ? std::max(scale.most, *value) : *value;
    scale.is_known = true;
  }
  return scale;
}

// The rows of one map, each as wide as the grid has columns.
std::vector<std::string> RowsOf(const RankMap& map, const Grid& grid,
                                const char* column, const Scale& scale) {
  std::vector<std::vector<std::string>> cells(
      grid.row_of.size(),
      std::vector<std::string>(static_cast<size_t>(grid.columns), "?"));
  for (size_t i = 0; i < map.cells.size(); ++i) {
    const auto value = map.cells.Number(i, column);
    if (!value) continue;
    const int64_t at =
        map.cells.Whole(i, "step").value_or(0) / map.steps_per_column;
    cells[grid.row_of.at(map.cells.Whole(i, "first_rank").value_or(0))]
         [static_cast<size_t>(at - grid.first_column)] =
             kShades[scale.LevelOf(*value)];
  }
  std::vector<std::string> rows;
  for (const auto& row : cells) {
    std::string& text = rows.emplace_back();
    for (const std::string& cell : row) text += cell;
  }
  return rows;
}

std::string Padded(std::string text, size_t width) {
  const size_t has = DisplayWidth(text);
  return has < width ? text.append(width - has, ' ') : text;
}

std::string RangeText(const char* name, const Scale& scale) {
  if (!scale.is_known) return absl::StrCat(name, " ?");
  const int decimals = scale.most < 100 ? 1 : 0;
  return absl::StrCat(name, " ", Fixed(scale.least, decimals), " to ",
                      Fixed(scale.most, decimals));
}

std::string Heading(const RankMap& map) {
  std::string text = "ranks by steps, ms";
  if (map.ranks_per_row > 1) {
    absl::StrAppend(&text, "; a row is that of ", map.ranks_per_row,
                    " ranks that works longest itself");
  }
  if (map.steps_per_column > 1) {
    absl::StrAppend(&text, "; a column is the mean of ", map.steps_per_column,
                    " steps");
  }
  return text + "\n";
}

std::string LabelOf(int64_t first, const RankMap& map) {
  if (map.ranks_per_row == 1) return absl::StrCat("rank ", first);
  return absl::StrCat("rank ", first, "-", first + map.ranks_per_row - 1);
}

std::string Trimmed(std::string line) {
  return line.erase(line.find_last_not_of(' ') + 1) + "\n";
}

}  // namespace

size_t TextMapColumns() {
  return (PageWidth() - kLabel - (kMaps - 1) * kSpace) / kMaps;
}

std::string RankMapText(const RanksReport& report) {
  const RankMap& map = report.map;
  if (map.cells.empty()) return "";
  const Grid grid = GridOf(map);
  const size_t width =
      std::max<size_t>(static_cast<size_t>(grid.columns), TextMapColumns());
  std::string head(kLabel, ' ');
  std::vector<std::vector<std::string>> maps;
  for (size_t m = 0; m < kMaps; ++m) {
    const Scale scale = ScaleOf(map.cells, kColumns[m]);
    std::string range = RangeText(kNames[m], scale);
    range.erase(ByteOfColumn(range, width));
    head += Padded(range, width + kSpace);
    maps.push_back(RowsOf(map, grid, kColumns[m], scale));
  }
  std::string out = Heading(map) + Trimmed(head);
  for (const auto& [first, row] : grid.row_of) {
    std::string line = Padded(LabelOf(first, map), kLabel);
    for (const auto& rows : maps) line += Padded(rows[row], width + kSpace);
    out += Trimmed(line);
  }
  const int64_t first = grid.first_column * map.steps_per_column;
  const int64_t last =
      (grid.first_column + grid.columns) * map.steps_per_column - 1;
  return absl::StrCat(
      out, "steps ", first, " to ",
      std::min(last,
               report.of("overview").Whole(0, "last_step").value_or(last)),
      "; the denser, the more; ?: not known\n");
}

}  // namespace dltap::analyzer

// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_REPORTS_TABLE_H_
#define DLTAP_ANALYZER_REPORTS_TABLE_H_

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace dltap::analyzer {

// A number with the digits that its column shows.
struct Number {
  double value;
  int decimals;
};

// Nothing to show; or a value that cannot be known, printed as `?`.
struct Blank {};
struct Unknown {};

// A share of 1, drawn; the number itself stands in another column.
struct Bar {
  double share;
};

using Cell = std::variant<Blank, Unknown, std::string, int64_t, Number, Bar>;

struct Column {
  std::vector<std::string> header;  // lines, top to bottom; the last is the
                                    // name, units stand here, never in cells
  std::string key;                  // for CSV: "gpu_ms"
  bool right = true;
  bool may_go = false;  // where the page is too narrow; the last one first
};

// What a report shows, before anyone decides how. Its numbers come from
// metrics/figures/figures.h; renderers print them and never divide.
struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_REPORTS_TABLE_H_

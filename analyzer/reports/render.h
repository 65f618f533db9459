// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_REPORTS_RENDER_H_
#define DLTAP_ANALYZER_REPORTS_RENDER_H_

#include <string>
#include <string_view>

#include "analyzer/reports/page.h"
#include "analyzer/reports/table.h"

namespace dltap::analyzer {

// Fixed-width text. Texts of the first column are cut to fit the page; bars
// are there where it has room for them.
std::string RenderText(const Table& table);

// A cell as text shows it.
std::string CellText(const Cell& cell);

// RFC 4180, keys as header. A field that a spreadsheet would run as a formula
// gets a leading apostrophe.
std::string RenderCsv(const Table& table);

// "1234567" -> "1,234,567".
std::string WithThousands(int64_t value);

// `value` with `decimals` digits, thousands separated: "1,035.0".
std::string Fixed(double value, int decimals);

// What a terminal would act on, made visible; bytes that are no UTF-8 too.
std::string Printable(std::string_view text);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_REPORTS_RENDER_H_

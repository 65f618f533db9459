// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_REPORTS_PAGE_H_
#define DLTAP_ANALYZER_REPORTS_PAGE_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace dltap::analyzer {

inline constexpr size_t kUsualPageWidth = 100;  // of a pipe or a file

// What the texts of this process are made for. A pipe gets no bars, so that
// scripts find the text that they know.
struct Page {
  size_t columns = kUsualPageWidth;
  bool has_bars = false;
};
const Page& ThePage();
void SetPage(const Page& page);  // not while a text is made
inline size_t PageWidth() { return ThePage().columns; }

// Columns on a terminal: characters of East Asia take two, marks that stand
// over another none. `text` is Printable.
size_t DisplayWidth(std::string_view text);

// The bytes before the character that would pass this column; the size when
// none does.
size_t ByteOfColumn(std::string_view text, size_t column);

// `share` of 1 as a bar that is `columns` wide when full.
std::string BarText(double share, size_t columns);

// What is no ASCII in a finished text, in letters that are: "+-" for the sign,
// "#" for bars, "?" for what has no like.
std::string AsAscii(std::string_view text);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_REPORTS_PAGE_H_

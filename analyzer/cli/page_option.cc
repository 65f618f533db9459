// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/page_option.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace dltap::analyzer {
namespace {

constexpr size_t kWidestOfATerminal = 140;  // longer lines are hard to read

size_t TerminalColumns(int fd) {
  const char* variable = std::getenv("COLUMNS");
  const size_t columns =
      variable == nullptr ? 0 : std::strtoul(variable, nullptr, 10);
  if (columns > 0) return columns;
  winsize size = {};
  return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace

Page PageFor(size_t asked, std::FILE* stream) {
  if (asked > 0) return {.columns = asked, .has_bars = true};
  const int fd = fileno(stream);
  if (isatty(fd) != 1) return {};
  const size_t columns = TerminalColumns(fd);
  if (columns == 0) return {.columns = kUsualPageWidth, .has_bars = true};
  return {.columns = std::clamp(columns, kNarrowestPage, kWidestOfATerminal),
          .has_bars = true};
}

}  // namespace dltap::analyzer

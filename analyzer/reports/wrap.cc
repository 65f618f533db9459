// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/wrap.h"

#include <algorithm>

#include "analyzer/reports/render.h"

namespace dltap::analyzer {

std::string Wrap(const std::string& text, const std::string& indent) {
  std::string out;
  std::string line(std::min(text.find_first_not_of(' '), text.size()), ' ');
  for (size_t at = line.size(); at < text.size();) {
    const size_t space = std::min(text.find(' ', at), text.size());
    std::string word = text.substr(at, space - at);
    while (DisplayWidth(indent) + DisplayWidth(word) > PageWidth()) {
      if (!line.empty()) out += line + '\n';
      line.clear();
      const size_t cut = ByteOfColumn(word, PageWidth() - indent.size());
      out += indent + word.substr(0, cut) + '\n';
      word.erase(0, cut);
    }
    if (DisplayWidth(line) + 1 + DisplayWidth(word) > PageWidth()) {
      out += line + '\n';
      line = indent + word;
    } else {
      line += (line.empty() || line.back() == ' ' ? "" : " ") + word;
    }
    at = space + 1;
  }
  return out + line + '\n';
}

}  // namespace dltap::analyzer

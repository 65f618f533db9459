// SPDX-License-Identifier: Apache-2.0
#include "analyzer/output/indented_json.h"

namespace dltap::analyzer {
namespace {

bool IsClosing(char c) { return c == '}' || c == ']'; }

// Where the string that begins at `at` ends.
size_t EndOfString(std::string_view json, size_t at) {
  for (++at; at < json.size() && json[at] != '"'; ++at) {
    if (json[at] == '\\') ++at;
  }
  return at + 1;
}

}  // namespace

std::string Indented(std::string_view json) {
  std::string out;
  size_t level = 0;
  const auto line = [&] { out += '\n' + std::string(2 * level, ' '); };
  for (size_t i = 0; i < json.size();) {
    const char c = json[i];
    if (c == '"') {
      const size_t end = EndOfString(json, i);
      out += json.substr(i, end - i);
      i = end;
      continue;
    }
    if (c == ' ') {  // the writer's
      ++i;
      continue;
    }
    const bool opens = c == '{' || c == '[';
    const bool is_empty = i > 0 && (json[i - 1] == '{' || json[i - 1] == '[');
    if (IsClosing(c)) {
      --level;
      if (!is_empty) line();
    }
    out += c;
    level += opens;
    if (c == ':') out += ' ';
    const bool goes_on = i + 1 < json.size() && !IsClosing(json[i + 1]);
    if (c == ',' || (opens && goes_on)) line();
    ++i;
  }
  return out;
}

}  // namespace dltap::analyzer

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/xla_origin.h"

#include <algorithm>
#include <cstddef>

namespace dltap::analyzer {
namespace {

// Calls `visit` with the name of each operation in `hlo`.
template <typename Visit>
void ForEachName(std::string_view hlo, Visit visit) {
  constexpr std::string_view kKey = "op_name=\"";
  for (size_t at = hlo.find(kKey); at != std::string_view::npos;
       at = hlo.find(kKey, at)) {
    at += kKey.size();
    const size_t end = hlo.find('"', at);
    if (end == std::string_view::npos) return;  // cut
    if (end > at) visit(hlo.substr(at, end - at));
    at = end;
  }
}

}  // namespace

XlaOrigin ParseXlaOrigin(std::string_view detail) {
  XlaOrigin origin;
  const size_t end = detail.find('\n');
  ForEachName(detail.substr(0, end), [&](std::string_view name) {
    if (origin.path.empty()) origin.path = name;
  });
  while (!detail.empty()) {
    const std::string_view line = detail.substr(0, detail.find('\n'));
    detail.remove_prefix(std::min(line.size() + 1, detail.size()));
    const size_t dashes = line.find_first_not_of('-');
    if (dashes != 0 && dashes != std::string_view::npos) {
      origin.frames.push_back(line.substr(std::min(dashes + 1, line.size())));
      continue;
    }
    ForEachName(line,
                [&](std::string_view name) { origin.paths.push_back(name); });
  }
  return origin;
}

}  // namespace dltap::analyzer

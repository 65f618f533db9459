// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/xla/xla_origin.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace dltap::analyzer {
namespace {

constexpr std::string_view kBegin = "Thunk:#name=";
constexpr std::string_view kEnd = ",hlo_op=";

// Scopes have names of the program's, in which quotes are escaped.
size_t ClosingQuote(std::string_view hlo, size_t at) {
  for (; at < hlo.size(); ++at) {
    if (hlo[at] == '"') return at;
    if (hlo[at] == '\\') ++at;
  }
  return std::string_view::npos;
}

// Calls `visit` with the name of each operation in `hlo`.
template <typename Visit>
void ForEachName(std::string_view hlo, Visit visit) {
  constexpr std::string_view kKey = "op_name=\"";
  for (size_t at = hlo.find(kKey); at != std::string_view::npos;
       at = hlo.find(kKey, at)) {
    at += kKey.size();
    const size_t end = ClosingQuote(hlo, at);
    if (end == std::string_view::npos) return;  // cut
    if (end > at) visit(hlo.substr(at, end - at));
    at = end;
  }
}

// "add" of "  ROOT sum.1 = f32[8]{0} add(a, b), ..."; empty: no instruction.
std::string_view OpcodeIn(std::string_view line) {
  constexpr std::string_view kIs = " = ";
  const size_t is = line.find(kIs);
  if (is == std::string_view::npos) return {};
  line.remove_prefix(is + kIs.size());
  // Of a tuple, the type has spaces and parentheses.
  const size_t type = line.starts_with('(') ? line.find(") ") : 0;
  const size_t space = line.find(' ', type);
  if (space == std::string_view::npos) return {};
  line.remove_prefix(space + 1);
  return line.substr(0, line.find('('));
}

bool OnlyMoves(std::string_view opcode) {
  constexpr std::string_view kMoves[] = {"parameter",
                                         "constant",
                                         "iota",
                                         "tuple",
                                         "broadcast",
                                         "reshape",
                                         "bitcast",
                                         "bitcast-convert",
                                         "transpose",
                                         "copy",
                                         "slice",
                                         "concatenate",
                                         "pad",
                                         "reverse",
                                         "convert",
                                         "gather",
                                         "dynamic-slice",
                                         "dynamic-update-slice",
                                         "get-tuple-element"};
  return std::ranges::find(kMoves, opcode) != std::end(kMoves);
}

}  // namespace

XlaOrigin ParseXlaOrigin(std::string_view detail) {
  XlaOrigin origin;
  const size_t end = detail.find('\n');
  ForEachName(detail.substr(0, end), [&](std::string_view name) {
    if (origin.path.empty()) origin.path = name;
  });
  for (bool is_own = true; !detail.empty(); is_own = false) {
    const std::string_view line = detail.substr(0, detail.find('\n'));
    detail.remove_prefix(std::min(line.size() + 1, detail.size()));
    const size_t dashes = line.find_first_not_of('-');
    if (dashes != 0 && dashes != std::string_view::npos) {
      origin.frames.push_back(line.substr(std::min(dashes + 1, line.size())));
      continue;
    }
    const std::string_view opcode = is_own ? "" : OpcodeIn(line);
    origin.computes |= !opcode.empty() && !OnlyMoves(opcode);
    origin.computes |= !is_own && line.starts_with("op_name=");
    ForEachName(line,
                [&](std::string_view name) { origin.paths.push_back(name); });
  }
  return origin;
}

LayerClass ClassOfRows(const XlaOrigin& origin) {
  const auto calls = [&origin](std::string_view function) {
    return std::ranges::any_of(origin.paths, [=](std::string_view path) {
      return path.ends_with(function);
    });
  };
  if (!calls("/reduce_sum")) return LayerClass::kReduction;
  if (calls("/exp") && calls("/reduce_max")) return LayerClass::kSoftmax;
  return calls("/rsqrt") ? LayerClass::kNorm : LayerClass::kReduction;
}

std::string_view PathInName(std::string_view name) {
  if (!name.starts_with(kBegin)) return {};
  name.remove_prefix(kBegin.size());
  return name.substr(0, name.rfind(kEnd));
}

std::string NameForPath(std::string_view path) {
  return std::string(kBegin).append(path).append(kEnd);
}

}  // namespace dltap::analyzer

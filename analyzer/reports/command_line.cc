// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/command_line.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "analyzer/reports/render.h"

namespace dltap::analyzer {
namespace {

constexpr size_t kEndWidth = 29;  // of a long argument, kept at both ends
constexpr size_t kMaxArgumentWidth = kEndWidth + 1 + kEndWidth;
constexpr size_t kMaxWidth = 80;
constexpr std::string_view kCut = "…";

std::string_view BaseName(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// Code given with -c has lines of its own: they become one.
std::string OneLine(std::string_view argument) {
  std::string text(argument);
  std::replace_if(
      text.begin(), text.end(),
      [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  return Printable(text);
}

// The end of a path tells most, the begin of code does: both are kept.
std::string WithoutMiddle(const std::string& text) {
  const size_t width = DisplayWidth(text);
  if (width <= kMaxArgumentWidth) return text;
  return text.substr(0, ByteOfColumn(text, kEndWidth)) + std::string(kCut) +
         text.substr(ByteOfColumn(text, width - kEndWidth));
}

std::string Quoted(const std::string& text) {
  const bool runs_together =
      text.empty() || text.find_first_of(" '\"") != std::string::npos;
  if (!runs_together) return text;
  const char quote = text.find('\'') == std::string::npos ? '\'' : '"';
  return quote + text + quote;
}

// Of argument `i`, on one line.
std::string ArgumentText(const std::vector<std::string>& command, size_t i) {
  const std::string& given = command[i];
  // A title that a program gave itself is one argument of several words.
  const bool is_path = i == 0 && given.find(' ') == std::string::npos;
  return OneLine(is_path ? BaseName(given) : given);
}

}  // namespace

std::string CommandText(std::string_view program,
                        const std::vector<std::string>& command, bool is_cut) {
  if (command.empty()) return Printable(program);
  std::string line;
  for (size_t i = 0; i < command.size(); ++i) {
    // The program and what it runs are always told.
    if (i > 1 && DisplayWidth(line) >= kMaxWidth) {
      is_cut = true;
      break;
    }
    const std::string text = WithoutMiddle(ArgumentText(command, i));
    if (i > 0) line += ' ';
    line += command.size() == 1 ? text : Quoted(text);
  }
  return is_cut ? line + " " + std::string(kCut) : line;
}

std::string WholeCommandText(std::string_view program,
                             const std::vector<std::string>& command,
                             bool is_cut) {
  if (command.empty()) return Printable(program);
  std::string line;
  for (size_t i = 0; i < command.size(); ++i) {
    const std::string text = ArgumentText(command, i);
    if (i > 0) line += ' ';
    line += command.size() == 1 ? text : Quoted(text);
  }
  return is_cut ? line + " " + std::string(kCut) : line;
}

std::string CommandsText(const Summary& summary) {
  std::string first;
  bool first_has_gpu_work = false;
  std::set<std::string> all;
  for (const ProcessSummary& process : summary.processes) {
    const std::string text =
        CommandText(process.program, process.command, process.command_is_cut);
    if (text.empty()) continue;
    all.insert(text);
    const bool has_gpu_work = process.has_gpu_work;
    if (first.empty() || (has_gpu_work && !first_has_gpu_work)) {
      first = text;
      first_has_gpu_work = has_gpu_work;
    }
  }
  if (all.size() <= 1) return first;
  const size_t others = all.size() - 1;
  return first + " (and " + std::to_string(others) + " other command" +
         (others == 1 ? ")" : "s)");
}

}  // namespace dltap::analyzer

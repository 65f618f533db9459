// SPDX-License-Identifier: Apache-2.0
#include "analyzer/attribution/names/name_rules.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace dltap::analyzer {
namespace {

constexpr NameRule kKernelRules[] = {
#include "kernel_rules.inc"
};
constexpr NameRule kOperatorRules[] = {
#include "operator_rules.inc"
};

bool AnyGlobMatches(std::string_view globs, std::string_view text) {
  while (!globs.empty()) {
    const size_t bar = globs.find('|');
    if (GlobMatches(globs.substr(0, bar), text)) return true;
    if (bar == std::string_view::npos) break;
    globs.remove_prefix(bar + 1);
  }
  return false;
}

const NameRule* FirstMatch(std::span<const NameRule> rules,
                           std::string_view name) {
  for (const NameRule& rule : rules) {
    if (AnyGlobMatches(rule.globs, name)) return &rule;
  }
  return nullptr;
}

}  // namespace

bool GlobMatches(std::string_view glob, std::string_view text) {
  const size_t star = glob.find('*');
  if (star == std::string_view::npos) return glob == text;
  if (!text.starts_with(glob.substr(0, star))) return false;
  text.remove_prefix(star);
  glob.remove_prefix(star + 1);
  // Each literal piece is taken at its first place; only the last is bound to
  // the end, so first places leave the most room.
  for (size_t next; (next = glob.find('*')) != std::string_view::npos;) {
    const std::string_view piece = glob.substr(0, next);
    const size_t at = text.find(piece);
    if (at == std::string_view::npos) return false;
    text.remove_prefix(at + piece.size());
    glob.remove_prefix(next + 1);
  }
  return text.ends_with(glob);
}

std::span<const NameRule> KernelNameRules() { return kKernelRules; }

std::span<const NameRule> OperatorNameRules() { return kOperatorRules; }

const NameRule* MatchKernelName(std::string_view demangled) {
  return FirstMatch(KernelNameRules(), KernelPath(demangled));
}

const NameRule* MatchOperatorName(std::string_view name) {
  // As NVTX ranges of PyTorch go on: "aten::mm, seq = 7".
  return FirstMatch(OperatorNameRules(), name.substr(0, name.find(", ")));
}

std::string Demangle(std::string_view name) {
  const std::string mangled(name);
  if (!name.starts_with("_Z")) return mangled;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status),
      std::free);
  return status == 0 ? std::string(text.get()) : mangled;
}

}  // namespace dltap::analyzer

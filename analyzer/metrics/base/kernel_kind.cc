// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/base/kernel_kind.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "analyzer/attribution/names/name_rules.h"

namespace dltap::analyzer {
namespace {

bool IsWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// The words of `text` in order; "::" separates words too.
template <typename Visit>
void ForEachWord(std::string_view text, Visit visit) {
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && IsWord(text[end])) ++end;
    if (end > i) visit(text.substr(i, end - i));
    i = end + 1;
  }
}

// Words among template arguments that tell what is computed.
bool TellsTheOperation(std::string_view word) {
  if (word.starts_with("gpu_kernel")) return false;  // how it is launched
  for (const std::string_view part : {"unctor", "_kernel", "Op", "Ops"}) {
    if (word.find(part) != std::string_view::npos) return true;
  }
  return false;
}

std::string WithoutDigits(std::string_view text) {
  std::string out;
  std::copy_if(text.begin(), text.end(), std::back_inserter(out), [](char c) {
    return std::isdigit(static_cast<unsigned char>(c)) == 0;
  });
  return out;
}

}  // namespace

std::string KernelKind(std::string_view name) {
  const std::string demangled = Demangle(name);
  const size_t end = demangled.find_first_of("<(", 1);
  // Names of compilers are those of a program, whatever sizes it meets.
  if (end == std::string::npos) return demangled;
  std::string_view kernel = std::string_view(demangled).substr(0, end);
  if (kernel.starts_with("void ")) kernel.remove_prefix(5);
  std::set<std::string> words;
  if (kernel.find("elementwise_kernel") == std::string_view::npos) {
    words.insert(WithoutDigits(kernel));
  }
  ForEachWord(std::string_view(demangled).substr(end),
              [&words](std::string_view word) {
                if (TellsTheOperation(word)) words.insert(WithoutDigits(word));
              });
  std::string kind;
  for (const std::string& word : words) kind += word + ' ';
  return kind;
}

size_t KernelKinds::Of(TextId name) {
  if (!name.known()) return 0;
  const auto [it, is_new] = kind_of_name_.try_emplace(name.value(), 0);
  if (is_new) {
    it->second = kinds_.try_emplace(KernelKind(texts_[name]), kinds_.size() + 1)
                     .first->second;
  }
  return it->second;
}

}  // namespace dltap::analyzer

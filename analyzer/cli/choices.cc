// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/choices.h"

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace dltap::analyzer {
namespace {

constexpr const char* kSuggested = "suggested";

// "TEXT:{real,skip}" holds the choices real and skip.
std::vector<std::string> InBraces(std::string_view text) {
  const size_t open = text.find('{');
  const size_t close = text.rfind('}');
  if (open == std::string_view::npos || close == std::string_view::npos) {
    return {};
  }
  return absl::StrSplit(std::string(text.substr(open + 1, close - open - 1)),
                        ',');
}

}  // namespace

std::vector<std::string> ChoicesOf(CLI::Option& option) {
  const std::vector<std::string> checked = InBraces(option.get_type_name());
  if (!checked.empty()) return checked;
  try {
    CLI::Validator& list = *option.get_validator(kSuggested);
    list.active(true);
    const std::vector<std::string> suggested = InBraces(list.get_description());
    list.active(false);
    return suggested;
  } catch (const CLI::OptionNotFound&) {
    return {};
  }
}

void Suggest(CLI::Option* option, const std::vector<std::string>& values) {
  // Not active: neither checked nor part of the help.
  CLI::Validator list([](std::string&) { return std::string(); },
                      "{" + absl::StrJoin(values, ",") + "}", kSuggested);
  option->check(list.active(false), kSuggested);
}

}  // namespace dltap::analyzer

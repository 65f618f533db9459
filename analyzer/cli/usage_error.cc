// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/usage_error.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "analyzer/cli/choices.h"
#include "analyzer/output/near_names.h"

namespace dltap::analyzer {
namespace {

std::vector<CLI::Option*> AllOptions(CLI::App& app) {
  return app.get_options([](CLI::Option*) { return true; });
}

std::vector<std::string> LongNames(CLI::App& app) {
  std::vector<std::string> names;
  for (CLI::Option* option : AllOptions(app)) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

std::string UnexpectedText(CLI::App& app) {
  const std::vector<std::string> extra = app.remaining();
  if (extra.empty()) return "";
  const std::string word = extra.front();
  if (!word.starts_with("-")) return "unexpected \"" + word + "\"";
  const std::string name = word.substr(0, word.find('='));
  return "unknown option " + name + DidYouMean(name, LongNames(app));
}

// Of the first option that holds a value which is not one of its choices.
std::optional<std::string> BadChoice(CLI::App& app) {
  for (CLI::Option* option : AllOptions(app)) {
    const std::vector<std::string> choices = ChoicesOf(*option);
    if (choices.empty()) continue;
    for (const std::string& value : option->results()) {
      if (std::find(choices.begin(), choices.end(), value) == choices.end()) {
        return option->get_name(option->get_positional()) + ": \"" + value +
               "\" is no choice" + WhatThereIs(value, choices);
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::string UsageError(CLI::App& app, const CLI::ParseError& error) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    if (const std::string text = UnexpectedText(app); !text.empty()) {
      return text;
    }
  }
  if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr) {
    if (const auto text = BadChoice(app)) return *text;
  }
  return error.what();
}

}  // namespace dltap::analyzer

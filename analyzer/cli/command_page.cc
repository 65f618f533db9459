// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/command_page.h"

#include <algorithm>

#include "analyzer/cli/choices.h"

namespace dltap::analyzer {
namespace {

OptionRow RowOf(CLI::Option& option) {
  OptionRow row;
  row.is_positional = option.get_positional();
  if (row.is_positional) {
    row.names = {option.get_name(true)};
  } else {
    for (const std::string& name : option.get_snames()) {
      row.names.push_back("-" + name);
    }
    for (const std::string& name : option.get_lnames()) {
      row.names.push_back("--" + name);
    }
  }
  row.text = option.get_description();
  row.choices = ChoicesOf(option);
  row.is_required = option.get_required();
  row.takes_value = option.get_items_expected_max() > 0;
  row.may_repeat = option.get_items_expected_max() > 1;
  return row;
}

void AddForm(CLI::App& app, CommandPage& page) {
  page.descriptions.push_back(app.get_description());
  if (!app.get_footer().empty()) page.footers.push_back(app.get_footer());
  for (CLI::Option* option :
       app.get_options([](CLI::Option*) { return true; })) {
    OptionRow row = RowOf(*option);
    const bool is_there = std::any_of(
        page.options.begin(), page.options.end(),
        [&row](const OptionRow& other) { return other.names == row.names; });
    if (!is_there) page.options.push_back(std::move(row));
  }
}

}  // namespace

CommandPage PageOf(const Command& command) {
  CommandPage page;
  page.name = command.name;
  page.synopsis = command.synopsis;
  page.examples = ExamplesOf(command.name);
  VisitForms(command, [&page](CLI::App& app) { AddForm(app, page); });
  return page;
}

}  // namespace dltap::analyzer

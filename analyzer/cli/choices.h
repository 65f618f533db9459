// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CLI_CHOICES_H_
#define DLTAP_ANALYZER_CLI_CHOICES_H_

#include <string>
#include <vector>

#include "CLI/CLI.hpp"

namespace dltap::analyzer {

// The values that an option takes, where it has a list of them.
std::vector<std::string> ChoicesOf(CLI::Option& option);

// Lets completion offer `values` for an option that takes others, too.
void Suggest(CLI::Option* option, const std::vector<std::string>& values);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CLI_CHOICES_H_

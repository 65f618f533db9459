// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/color.h"

#include <unistd.h>

#include <cstdlib>

namespace dltap::analyzer {
namespace {

std::string_view Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool Forces(std::string_view value) { return !value.empty() && value != "0"; }

}  // namespace

bool UseColor(std::string_view when, std::FILE* stream) {
  if (when != "auto") return when == "always";
  if (!Variable("NO_COLOR").empty()) return false;
  if (Forces(Variable("FORCE_COLOR"))) return true;
  if (Forces(Variable("CLICOLOR_FORCE"))) return true;
  return isatty(fileno(stream)) == 1 && Variable("TERM") != "dumb";
}

}  // namespace dltap::analyzer

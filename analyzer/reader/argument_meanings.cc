// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/argument_meanings.h"

#include "shim/specs/entry_point.h"

namespace dltap::analyzer {
namespace {

// A function of the tap's release that ours does not know.
Meaning MeaningWithoutSpec(const EntryPoint& entry, std::string_view argument) {
  const bool is_launch = entry.symbol.find("Launch") != std::string::npos;
  if (is_launch &&
      (argument == "func" || argument == "f" || argument == "kernel")) {
    return Meaning::kKernel;
  }
  return argument == "operation" ? Meaning::kOperation : Meaning::kNone;
}

}  // namespace

Meaning MeaningByName(const EntryPoint& entry, std::string_view argument) {
  const specs::EntryPointInfo* info = specs::FindEntryPoint(entry.symbol);
  if (info == nullptr) return MeaningWithoutSpec(entry, argument);
  for (const specs::ArgumentMeaning& known : info->arguments) {
    if (known.argument == argument) return known.meaning;
  }
  if (argument == "clique") return Meaning::kClique;  // no argument: packed
  return Meaning::kNone;
}

void SetMeaningsByName(EntryPoint& entry) {
  for (ArgLayout& arg : entry.args) {
    arg.meaning = MeaningByName(entry, arg.name);
  }
}

}  // namespace dltap::analyzer

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/collectives/communicator_name.h"

#include <algorithm>
#include <map>

namespace dltap::analyzer {
namespace {

// "0-3,6".
std::string ListOf(std::vector<int> numbers) {
  std::sort(numbers.begin(), numbers.end());
  std::string text;
  for (size_t i = 0; i < numbers.size();) {
    size_t last = i;
    while (last + 1 < numbers.size() &&
           numbers[last + 1] == numbers[last] + 1) {
      ++last;
    }
    text += (text.empty() ? "" : ",") + std::to_string(numbers[i]);
    if (last > i) text += "-" + std::to_string(numbers[last]);
    i = last + 1;
  }
  return text;
}

std::string Named(std::string_view noun, const std::vector<int>& numbers) {
  return std::string(noun) + (numbers.size() == 1 ? " " : "s ") +
         ListOf(numbers);
}

std::string NameOf(const TraceModel& model, const CollectiveRuns& runs,
                   const Communicator& communicator) {
  std::vector<int> ranks;
  std::vector<int> gpus;
  for (const size_t member : communicator.members) {
    const LocalCommunicator& local = runs.locals[member];
    const Process& process = model.processes[local.process];
    gpus.push_back(process.devices[local.device.value()].ordinal);
    if (process.rank) ranks.push_back(*process.rank);
  }
  std::string name = Named("gpu", gpus);
  if (ranks.size() == gpus.size()) name = Named("rank", ranks);
  if (communicator.ranks > 0 && !communicator.is_whole()) {
    name += " of " + std::to_string(communicator.ranks);
  }
  return name;
}

}  // namespace

std::vector<std::string> CommunicatorNames(const TraceModel& model,
                                           const CollectiveRuns& runs,
                                           const CollectiveMatches& matches) {
  std::vector<std::string> names;
  std::map<std::string, int> uses;
  for (const Communicator& communicator : matches.communicators) {
    std::string name = NameOf(model, runs, communicator);
    const int use = ++uses[name];
    if (use > 1) name += " #" + std::to_string(use);
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace dltap::analyzer

// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/time_factors.h"

#include <fnmatch.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace dltap::simgpu {
namespace {

struct Rule {
  double factor;
  std::string glob;
};

std::vector<Rule> ReadRules() {
  const char* path = std::getenv("DLTAP_SIM_TIME_FACTORS");
  if (path == nullptr || *path == '\0') return {};
  std::ifstream file(path);
  std::vector<Rule> rules;
  Rule rule;
  while (file >> rule.factor >> std::ws && std::getline(file, rule.glob)) {
    rules.push_back(rule);
  }
  if (rules.empty()) {
    std::fprintf(stderr,
                 "simgpu: DLTAP_SIM_TIME_FACTORS=%s has no line of a factor "
                 "and a glob\n",
                 path);
  }
  return rules;
}

double Find(const std::vector<Rule>& rules, const char* name) {
  for (const Rule& rule : rules) {
    if (fnmatch(rule.glob.c_str(), name, 0) == 0) return rule.factor;
  }
  return 1;
}

}  // namespace

double TimeFactorOf(const char* name) {
  // Leaked on purpose: launches may run after static destructors.
  static const auto* const rules = new std::vector<Rule>(ReadRules());
  if (rules->empty()) return 1;
  static std::mutex* const mutex = new std::mutex;
  static auto* const known = new std::unordered_map<const char*, double>;
  const std::lock_guard lock(*mutex);
  const auto [it, is_new] = known->try_emplace(name, 1);
  if (is_new) it->second = Find(*rules, name);
  return it->second;
}

}  // namespace dltap::simgpu

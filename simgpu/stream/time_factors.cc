// SPDX-License-Identifier: Apache-2.0
#include "simgpu/stream/time_factors.h"

#include <fnmatch.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

namespace dltap::simgpu {
namespace {

struct Rule {
  double factor;
  std::string glob;
};

// "0.5 *gemm*"; nullopt: something else.
std::optional<Rule> ParseRule(const std::string& line) {
  std::istringstream fields(line);
  Rule rule;
  if (!(fields >> rule.factor >> rule.glob) || !(rule.factor > 0) ||
      std::isinf(rule.factor)) {
    return std::nullopt;
  }
  return rule;
}

std::vector<Rule> ReadRules() {
  const char* path = std::getenv("DLTAP_SIM_TIME_FACTORS");
  if (path == nullptr || *path == '\0') return {};
  std::ifstream file(path);
  if (!file) {
    std::fprintf(stderr,
                 "dltap: simgpu: DLTAP_SIM_TIME_FACTORS=%s: no such file\n",
                 path);
  }
  std::vector<Rule> rules;
  for (std::string line; std::getline(file, line);) {
    if (line.empty()) continue;
    if (const auto rule = ParseRule(line)) {
      rules.push_back(*rule);
    } else {
      std::fprintf(stderr,
                   "dltap: simgpu: DLTAP_SIM_TIME_FACTORS: \"%s\" is left out: "
                   "expected a number above 0 and a glob\n",
                   line.c_str());
    }
  }
  return rules;
}

double Find(const std::vector<Rule>& rules, const std::string& name) {
  for (const Rule& rule : rules) {
    if (fnmatch(rule.glob.c_str(), name.c_str(), 0) == 0) return rule.factor;
  }
  return 1;
}

}  // namespace

double TimeFactorOf(const char* name) {
  // Leaked on purpose: launches may run after static destructors.
  static const auto* const rules = new std::vector<Rule>(ReadRules());
  if (rules->empty()) return 1;
  static std::mutex* const mutex = new std::mutex;
  static auto* const known = new std::unordered_map<std::string, double>;
  const std::lock_guard lock(*mutex);
  const auto [it, is_new] = known->try_emplace(name, 1);
  if (is_new) it->second = Find(*rules, it->first);
  return it->second;
}

}  // namespace dltap::simgpu

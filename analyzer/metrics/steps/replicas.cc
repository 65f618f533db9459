// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/replicas.h"

#include <algorithm>
#include <map>

namespace dltap::analyzer {
namespace {

constexpr size_t kLeastCalls = 16;
constexpr double kInOrder = 0.9;  // of a replica's calls are the first one's

// What a thread gives its device to compute.
struct Row {
  DeviceId device;  // none: several
  std::vector<size_t> tokens;
};

std::map<size_t, Row> RowsOf(const Process& process,
                             const std::vector<CallToken>& tokens) {
  std::map<size_t, Row> rows;  // by thread
  for (size_t i = 0; i < tokens.size(); ++i) {
    const CallToken& token = tokens[i];
    if (!token.call.known() || !token.computes) continue;
    Row& row = rows[process.calls[token.call.value()].thread.value()];
    if (row.tokens.empty()) row.device = token.device;
    if (row.device != token.device) row.device = DeviceId();
    row.tokens.push_back(i);
  }
  std::erase_if(rows, [](const auto& row) {
    return !row.second.device.known() || row.second.tokens.size() < kLeastCalls;
  });
  return rows;
}

// Each device has graphs of its own.
bool AreAlike(const CallToken& a, const CallToken& b) {
  return a.whole && b.whole ? a.kernels == b.kernels
                            : a.signature == b.signature;
}

struct Match {
  size_t first;  // tokens
  size_t other;
};

// The calls of `other` that `first` has in the same order.
std::vector<Match> InOrder(const std::vector<CallToken>& tokens,
                           const Row& first, const Row& other) {
  std::vector<Match> matches;
  for (const size_t token : first.tokens) {
    if (matches.size() == other.tokens.size()) break;
    const size_t next = other.tokens[matches.size()];
    if (AreAlike(tokens[token], tokens[next])) matches.push_back({token, next});
  }
  return matches;
}

}  // namespace

std::vector<CallToken> WithoutReplicas(const Process& process,
                                       std::vector<CallToken> tokens) {
  const std::map<size_t, Row> rows = RowsOf(process, tokens);
  if (rows.size() < 2) return tokens;
  const Row& first = std::ranges::max_element(rows, {}, [](const auto& row) {
                       return row.second.tokens.size();
                     })->second;
  std::vector<bool> is_replica(tokens.size(), false);
  for (const auto& [thread, row] : rows) {
    if (row.device == first.device) continue;
    const std::vector<Match> matches = InOrder(tokens, first, row);
    if (static_cast<double>(matches.size()) <
        kInOrder * static_cast<double>(row.tokens.size())) {
      continue;
    }
    for (const size_t token : row.tokens) is_replica[token] = true;
    for (size_t i = 0; i < matches.size(); ++i) {
      CallToken& token = tokens[matches[i].first];
      const CallToken& other = tokens[matches[i].other];
      token.trial |= other.trial;
      if (i > 0 && other.begin_ns > tokens[matches[i - 1].first].begin_ns) {
        token.begin_ns = std::min(token.begin_ns, other.begin_ns);
      }
    }
  }
  size_t at = 0;
  std::erase_if(tokens, [&](const CallToken&) { return is_replica[at++]; });
  std::ranges::stable_sort(tokens, {}, &CallToken::begin_ns);
  return tokens;
}

}  // namespace dltap::analyzer

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/replicas.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>

namespace dltap::analyzer {
namespace {

constexpr size_t kLeastCalls = 16;
constexpr double kAlike = 0.9;  // of a replica's calls are the first one's

constexpr double kMost = 0.5;  // of what computes

// What a thread gives its device to compute, or all threads do.
struct Row {
  DeviceId device;  // none: several
  std::vector<size_t> tokens;
};
using Rows = std::map<size_t, Row>;

Rows RowsByThread(const Process& process,
                  const std::vector<CallToken>& tokens) {
  Rows rows;
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

// Whether the threads of `rows` give the devices most of what they compute.
bool HoldMost(const Rows& rows, const std::vector<CallToken>& tokens) {
  size_t held = 0;
  for (const auto& [thread, row] : rows) held += row.tokens.size();
  const auto all = std::ranges::count_if(tokens, &CallToken::computes);
  return static_cast<double>(held) >= kMost * static_cast<double>(all);
}

// Of devices that communicate.
Rows RowsByDevice(const std::vector<CallToken>& tokens) {
  Rows rows;
  std::set<size_t> communicating;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const CallToken& token = tokens[i];
    if (!token.device.known()) continue;
    Row& row = rows[token.device.value()];
    row.device = token.device;
    if (token.computes) row.tokens.push_back(i);
    if (token.communicates) communicating.insert(token.device.value());
  }
  std::erase_if(rows, [&](const auto& row) {
    return !communicating.contains(row.first) ||
           row.second.tokens.size() < kLeastCalls;
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

// The calls of `other` that `first` makes as often, whatever the order.
std::vector<Match> AsOften(const std::vector<CallToken>& tokens,
                           const Row& first, const Row& other) {
  std::map<uint32_t, std::deque<size_t>> left;
  for (const size_t token : other.tokens) {
    left[tokens[token].signature].push_back(token);
  }
  std::vector<Match> matches;
  for (const size_t token : first.tokens) {
    std::deque<size_t>& same = left[tokens[token].signature];
    if (same.empty()) continue;
    matches.push_back({token, same.front()});
    same.pop_front();
  }
  return matches;
}

// What the replica's calls tell beside the first one's.
void Adopt(const std::vector<Match>& matches, std::vector<CallToken>& tokens) {
  for (size_t i = 0; i < matches.size(); ++i) {
    CallToken& token = tokens[matches[i].first];
    const CallToken& other = tokens[matches[i].other];
    token.trial |= other.trial;
    if (i > 0 && other.begin_ns > tokens[matches[i - 1].first].begin_ns) {
      token.begin_ns = std::min(token.begin_ns, other.begin_ns);
    }
  }
}

}  // namespace

std::vector<CallToken> WithoutReplicas(const Process& process,
                                       std::vector<CallToken> tokens) {
  Rows rows = RowsByThread(process, tokens);
  const bool by_thread = HoldMost(rows, tokens);
  if (!by_thread) rows = RowsByDevice(tokens);
  if (rows.size() < 2) return tokens;
  const Row& first = std::ranges::max_element(rows, {}, [](const auto& row) {
                       return row.second.tokens.size();
                     })->second;
  std::vector<bool> is_replica(tokens.size(), false);
  for (const auto& [key, row] : rows) {
    if (row.device == first.device) continue;
    const std::vector<Match> matches =
        by_thread ? InOrder(tokens, first, row) : AsOften(tokens, first, row);
    if (static_cast<double>(matches.size()) <
        kAlike * static_cast<double>(row.tokens.size())) {
      continue;
    }
    for (const size_t token : row.tokens) is_replica[token] = true;
    Adopt(matches, tokens);
  }
  size_t at = 0;
  std::erase_if(tokens, [&](const CallToken&) { return is_replica[at++]; });
  std::ranges::stable_sort(tokens, {}, &CallToken::begin_ns);
  return tokens;
}

}  // namespace dltap::analyzer

// SPDX-License-Identifier: Apache-2.0
// Reads operations of a pipeline as CSV (replica,stage,rank,step,kind,begin,
// duration,sequence,chunk,global_chunk; without a head) and prints what their
// replay finds, as JSON.
//   replay_operations DATA-SEQUENCE-RANKS < FILE
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "analyzer/query/what_if_stragglers.h"

namespace {

using namespace dltap::analyzer;

void Print(const char* name, const std::vector<double>& values) {
  std::printf(",\"%s\":[", name);
  for (size_t i = 0; i < values.size(); ++i) {
    std::printf("%s%.9f", i == 0 ? "" : ",", values[i]);
  }
  std::printf("]");
}

std::vector<double> Slowdowns(const std::vector<StragglerShare>& shares) {
  std::vector<double> values;
  for (const StragglerShare& share : shares) values.push_back(share.slowdown);
  return values;
}

int Fail(std::string_view what) {
  std::cerr << "replay_operations: " << what << "\n";
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<PipelineOperation> operations;
  int replicas = 0;
  for (std::string line; std::getline(std::cin, line);) {
    const std::vector<std::string> f = absl::StrSplit(line, ',');
    if (f.size() != 10) return Fail("not ten fields: " + line);
    const auto kind = OperationNamed(f[4]);
    if (!kind) return Fail("no such operation: " + f[4]);
    operations.push_back({.kind = *kind,
                          .replica = std::stoi(f[0]),
                          .stage = std::stoi(f[1]),
                          .rank = std::stoi(f[2]),
                          .step = std::stoll(f[3]),
                          .sequence = std::stoi(f[7]),
                          .chunk = std::stoi(f[8]),
                          .global_chunk = std::stoi(f[9]),
                          .begin_s = std::stod(f[5]),
                          .duration_s = std::stod(f[6])});
    replicas = std::max(replicas, operations.back().replica + 1);
  }
  const int data_sequence = argc > 1 ? std::atoi(argv[1]) : 1;
  const auto replay =
      PipelineReplay::Make(operations, replicas * data_sequence > 1);
  if (!replay.ok()) return Fail(replay.status().ToString());
  const WhatIfStragglers found = FindStragglers(*replay);
  std::printf(
      "{\"steps\":%zu,\"left_out\":%zu,\"recorded_s\":%.9f,"
      "\"replayed_s\":%.9f,\"ideal_s\":%.9f,\"slowdown\":%.9f,"
      "\"worker_share\":%.9f",
      replay->steps(), replay->left_out_steps(), replay->mean_recorded_s(),
      found.replayed_s, found.ideal_s, found.slowdown(), found.worker_share);
  Print("stage_shares", found.stage_shares);
  Print("replicas", Slowdowns(found.replicas));
  Print("stages", Slowdowns(found.stages));
  std::vector<double> mended(found.mended_workers.begin(),
                             found.mended_workers.end());
  Print("mended_workers", mended);
  std::printf("}\n");
  return 0;
}

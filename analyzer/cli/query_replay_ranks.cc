// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/query_replay_ranks.h"

#include <cmath>
#include <cstdio>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "analyzer/cli/command.h"
#include "analyzer/output/json_writer.h"
#include "analyzer/query/job_replay_input.h"
#include "analyzer/query/what_if_ranks.h"

namespace dltap::analyzer {
namespace {

constexpr double kShareToShow = 0.05;  // of one rank
constexpr size_t kShownRanks = 16;

void IntegerArray(const char* name, const std::vector<int64_t>& numbers,
                  JsonWriter& json) {
  json.Key(name);
  json.BeginArray();
  for (const int64_t number : numbers) json.Value(number);
  json.EndArray();
}

void RankArray(const char* name, const std::vector<WhatIfRanks::Rank>& ranks,
               const WhatIfRanks& found, JsonWriter& json) {
  json.Key(name);
  json.BeginArray();
  for (const WhatIfRanks::Rank& rank : ranks) {
    json.BeginObject();
    json.Field("rank", rank.rank);
    json.Field("device", rank.device);
    json.Field("share", found.Share(rank.share));
    json.EndObject();
  }
  json.EndArray();
}

std::string JsonOf(const WhatIfRanks& found) {
  JsonWriter json;
  json.BeginObject();
  json.Field("steps", static_cast<uint64_t>(found.steps));
  json.Field("unlike_steps", static_cast<uint64_t>(found.unlike_steps));
  json.Field("devices", static_cast<uint64_t>(found.devices));
  json.Field("alone", static_cast<uint64_t>(found.alone));
  json.Field("stuck_ranks", static_cast<uint64_t>(found.stuck_ranks));
  json.Field("recorded_ns", found.recorded_ns);
  json.Field("replayed_ns", found.replayed_ns);
  json.Field("ideal_ns", found.ideal_ns);
  json.Field("slowdown", found.slowdown());
  json.Field("own_share", found.Share(found.own_share));
  json.Field("transfer_share", found.Share(found.transfer_share));
  json.Field("mended_share", found.Share(found.mended_share));
  IntegerArray("mended_ranks", found.mended_ranks, json);
  RankArray("ranks", found.ranks, found, json);
  RankArray("by_transfers", found.by_transfers, found, json);
  json.Field("stages", static_cast<uint64_t>(found.stages));
  json.Key("roles");
  json.BeginArray();
  for (const WhatIfRanks::Role& role : found.roles) {
    json.BeginObject();
    IntegerArray("ranks", role.ranks, json);
    json.Field("share", found.Share(role.share));
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return json.Take() + "\n";
}

std::string Listed(std::vector<int64_t> ranks) {
  const size_t more = ranks.size() - std::min(ranks.size(), kShownRanks);
  ranks.resize(ranks.size() - more);
  std::string out = absl::StrJoin(ranks, " ");
  if (more > 0) absl::StrAppend(&out, " and ", more, " more");
  return out;
}

void PrintWarnings(const WhatIfRanks& found) {
  if (found.stuck_ranks > 0) {
    std::printf(
        "%zu ranks wait for a collective that some rank never came "
        "to: the steps behind it are wrong\n\n",
        found.stuck_ranks);
  }
  if (!found.is_close()) {
    std::printf(
        "the replay of what was recorded is %+.1f %% off: what follows "
        "is not to be believed\n\n",
        (found.replayed_ns / found.recorded_ns - 1) * 100);
  }
  if (found.unlike_steps > 0) {
    std::printf(
        "%zu steps of ranks met in other collectives than those of "
        "ranks that run the same: left as recorded\n\n",
        found.unlike_steps);
  }
  if (found.alone > 0) {
    std::printf(
        "%zu of %zu devices do what no other does: what they do in half of "
        "their steps is taken for usual, and a fault of most is not seen\n\n",
        found.alone, found.devices);
  }
}

// No "-0.000".
double Rounded(double share) { return std::abs(share) < 0.0005 ? 0 : share; }

void PrintRanks(const char* what, const std::vector<WhatIfRanks::Rank>& ranks) {
  for (const WhatIfRanks::Rank& rank : ranks) {
    if (rank.share < kShareToShow) continue;
    const std::string line =
        absl::StrFormat("  %s of %s alone", what, NameOf(rank));
    std::printf("%-40s%9.3f\n", line.c_str(), rank.share);
  }
}

void PrintShares(const WhatIfRanks& found) {
  std::printf("of it goes when as usual were\n");
  std::printf("  the work of all ranks                 %9.3f\n",
              Rounded(found.own_share));
  std::printf("  the transfers                         %9.3f\n",
              Rounded(found.transfer_share));
  std::printf("  the work of the worst ranks, M_W      %9.3f   rank %s\n",
              Rounded(found.mended_share), Listed(found.mended_ranks).c_str());
  PrintRanks("the work", found.ranks);
  PrintRanks("the transfers", found.by_transfers);
  for (const WhatIfRanks::Role& role : found.roles) {
    std::printf("  the work of a stage, M_S              %9.3f   ranks %s\n",
                Rounded(role.share), Listed(role.ranks).c_str());
  }
  if (found.stages > found.roles.size() && found.stages > 1) {
    std::printf("  %zu more stages work less above what is usual\n",
                found.stages - found.roles.size());
  }
}

void PrintText(const WhatIfRanks& found) {
  PrintWarnings(found);
  std::printf("%zu steps replayed\n\n", found.steps);
  std::printf("step, as recorded                       %9.3f ms\n",
              found.recorded_ns * 1e-6);
  std::printf("  replayed                              %9.3f ms\n",
              found.replayed_ns * 1e-6);
  std::printf("  if ranks and transfers were as usual  %9.3f ms\n",
              found.ideal_ns * 1e-6);
  std::printf("slowdown S                              %9.3f\n",
              found.slowdown());
  if (!found.has_shares()) {
    std::printf(found.alone > 0 ? "nothing is seen to straggle\n"
                                : "nothing straggles\n");
    return;
  }
  PrintShares(found);
}

}  // namespace

absl::Status PrintReplayOfRanks(
    const std::string& folder, const DatasetLimits& limits,
    const std::map<std::string, std::string>& settings, bool as_json) {
  absl::StatusOr<Dataset> dataset = Dataset::Open(folder, limits);
  if (!dataset.ok()) return dataset.status();
  for (const std::string& warning : dataset->warnings()) {
    PrintError("warning: " + warning);
  }
  const absl::StatusOr<ReplayJob> job = ReadReplayJob(*dataset, settings);
  if (!job.ok()) {
    return absl::Status(job.status().code(),
                        absl::StrCat(folder, ": ", job.status().message()));
  }
  const WhatIfRanks found = FindSlowRanks(*job);
  as_json ? void(std::fputs(JsonOf(found).c_str(), stdout)) : PrintText(found);
  return absl::OkStatus();
}

}  // namespace dltap::analyzer

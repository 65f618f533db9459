// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/query_replay.h"

#include <cstdio>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "analyzer/output/json_writer.h"
#include "analyzer/query/published_operations.h"
#include "analyzer/query/what_if_stragglers.h"

namespace dltap::analyzer {
namespace {

void Slowdowns(const char* name, const std::vector<StragglerShare>& shares,
               JsonWriter& json) {
  json.Key(name);
  json.BeginArray();
  for (const StragglerShare& share : shares) {
    json.BeginObject();
    json.Field("id", share.id);
    json.Field("slowdown", share.slowdown);
    json.EndObject();
  }
  json.EndArray();
}

std::string JsonOf(const PipelineReplay& replay,
                   const WhatIfStragglers& found) {
  JsonWriter json;
  json.BeginObject();
  json.Field("steps", static_cast<uint64_t>(replay.steps()));
  json.Field("left_out", static_cast<uint64_t>(replay.left_out_steps()));
  json.Field("recorded_s", replay.mean_recorded_s());
  json.Field("replayed_s", found.replayed_s);
  json.Field("ideal_s", found.ideal_s);
  json.Field("slowdown", found.slowdown());
  json.Field("worker_share", found.worker_share);
  json.Key("stage_shares");
  json.BeginArray();
  for (const double share : found.stage_shares) json.Value(share);
  json.EndArray();
  json.Key("mended_workers");
  json.BeginArray();
  for (const int worker : found.mended_workers) json.Value(worker);
  json.EndArray();
  Slowdowns("replicas", found.replicas, json);
  Slowdowns("stages", found.stages, json);
  Slowdowns("workers", found.workers, json);
  json.EndObject();
  return json.Take() + "\n";
}

void PrintText(const PipelineReplay& replay, const WhatIfStragglers& found) {
  std::printf("%zu steps replayed, %zu left out as not whole\n\n",
              replay.steps(), replay.left_out_steps());
  std::printf("step, as recorded                       %9.3f s\n",
              replay.mean_recorded_s());
  std::printf("  replayed                              %9.3f s\n",
              found.replayed_s);
  std::printf("  if each operation took as usual       %9.3f s\n",
              found.ideal_s);
  std::printf("slowdown S                              %9.3f\n",
              found.slowdown());
  std::printf("of it goes with the worst workers, M_W  %9.3f   rank %s\n",
              found.worker_share,
              absl::StrJoin(found.mended_workers, ", ").c_str());
  for (size_t stage = 0; stage < found.stage_shares.size(); ++stage) {
    const bool is_last = stage + 1 == found.stage_shares.size();
    std::printf("  with stage %-2zu alone%s            %9.3f\n", stage,
                is_last ? ", M_S" : "     ", found.stage_shares[stage]);
  }
}

}  // namespace

absl::Status PrintReplay(const std::string& path, bool as_json) {
  const absl::StatusOr<PublishedOperations> published =
      ReadPublishedOperations(path);
  if (!published.ok()) return published.status();
  const auto replay =
      PipelineReplay::Make(published->operations, published->has_replicas);
  if (!replay.ok()) {
    return absl::DataLossError(
        absl::StrCat(path, ": ", replay.status().message()));
  }
  const WhatIfStragglers found = FindStragglers(*replay);
  if (as_json) {
    std::fputs(JsonOf(*replay, found).c_str(), stdout);
  } else {
    PrintText(*replay, found);
  }
  return absl::OkStatus();
}

}  // namespace dltap::analyzer

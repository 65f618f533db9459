// SPDX-License-Identifier: Apache-2.0
#include "analyzer/query/dataset_contents.h"

#include <algorithm>
#include <cstdint>
#include <system_error>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "analyzer/exporters/dataset_tables.h"

namespace dltap::analyzer {
namespace {

namespace fs = std::filesystem;

// "3" of a folder "rank=3"; empty: it is none of such.
std::string ValueOf(const fs::path& folder, std::string_view key) {
  const std::string name = folder.filename().string();
  const std::string head = absl::StrCat(std::string(key), "=");
  return name.starts_with(head) ? name.substr(head.size()) : "";
}

std::map<std::string, fs::path> Folders(const fs::path& in,
                                        std::string_view key) {
  std::map<std::string, fs::path> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(in, error)) {
    const std::string value = ValueOf(entry.path(), key);
    if (!value.empty()) out[value] = entry.path();
  }
  return out;
}

bool IsRank(const std::string& name) {
  int64_t number = 0;
  return absl::SimpleAtoi(name, &number) && absl::StrCat(number) == name;
}

fs::path TableOf(const RunContents& run, std::string_view table) {
  return run.folder / absl::StrCat("table=", std::string(table));
}

// When its row of `runs`, which is written last, got its place in a folder.
std::string StampOf(const fs::path& rank) {
  std::error_code error;
  const auto time = fs::last_write_time(rank, error);
  return error ? "" : absl::StrCat(time.time_since_epoch().count());
}

}  // namespace

std::vector<RunContents> RunsOf(const std::string& dataset) {
  std::vector<RunContents> runs;
  for (const auto& [name, folder] : Folders(dataset, "run")) {
    RunContents run;
    run.name = name;
    run.folder = folder;
    for (const auto& [rank, path] : Folders(TableOf(run, kRunsTable), "rank")) {
      if (IsRank(rank)) run.whole[rank] = StampOf(path);
    }
    for (const auto& [table, path] : Folders(folder, "table")) {
      for (const auto& [rank, parts] : Folders(path, "rank")) {
        if (!IsRank(rank)) {
          run.has_others = true;
        } else if (!run.whole.contains(rank)) {
          run.broken.insert(rank);
        }
      }
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

bool HasRuns(const std::string& folder) {
  return !Folders(folder, "run").empty();
}

std::vector<fs::path> PartsOf(const RunContents& run, std::string_view table,
                              const std::set<std::string>& ranks) {
  std::vector<fs::path> parts;
  std::error_code error;
  for (const std::string& rank : ranks) {
    const fs::path folder = TableOf(run, table) / ("rank=" + rank);
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("part-") && name.ends_with(".parquet")) {
        parts.push_back(entry.path());
      }
    }
  }
  std::sort(parts.begin(), parts.end());
  return parts;
}

fs::path GatheredPathOf(const RunContents& run, std::string_view table) {
  return TableOf(run, table) / "_gathered.parquet";
}

StampedRanks Compare(const RunContents& run, const std::string& stamps) {
  StampedRanks ranks;
  const std::vector<std::string> words =
      absl::StrSplit(stamps, ' ', absl::SkipEmpty());
  for (const std::string& word : words) {
    const std::pair<std::string, std::string> pair =
        absl::StrSplit(word, absl::MaxSplits(':', 1));
    if (!IsRank(pair.first)) continue;
    const auto whole = run.whole.find(pair.first);
    const bool is_same =
        whole != run.whole.end() && whole->second == pair.second;
    (is_same ? ranks.same : ranks.changed).insert(pair.first);
  }
  return ranks;
}

std::string StampsOf(const RunContents& run) {
  return absl::StrJoin(run.whole, " ", absl::PairFormatter(":"));
}

}  // namespace dltap::analyzer

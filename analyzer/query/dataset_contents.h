// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_QUERY_DATASET_CONTENTS_H_
#define DLTAP_ANALYZER_QUERY_DATASET_CONTENTS_H_

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace dltap::analyzer {

// What the folder of a run holds, by the names in it.
struct RunContents {
  std::string name;
  std::filesystem::path folder;
  std::map<std::string, std::string> whole;  // ranks, with their stamps
  std::set<std::string> broken;              // ranks whose packing did not end
  // Folders that somebody named otherwise (`rank=7.old`) are none of a rank's.
  bool has_others = false;
};

std::vector<RunContents> RunsOf(const std::string& dataset);
bool HasRuns(const std::string& folder);

// The files of some of a run's ranks, sorted.
std::vector<std::filesystem::path> PartsOf(const RunContents& run,
                                           std::string_view table,
                                           const std::set<std::string>& ranks);

// The file that holds a table of many ranks; it need not be there. Those who
// read the folders of ranks do not see it.
std::filesystem::path GatheredPathOf(const RunContents& run,
                                     std::string_view table);

// What became of the ranks that are written down as "RANK:STAMP RANK:STAMP": a
// rank that was packed again has another stamp.
struct StampedRanks {
  std::set<std::string> same;
  std::set<std::string> changed;  // or gone
};

StampedRanks Compare(const RunContents& run, const std::string& stamps);
std::string StampsOf(const RunContents& run);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_QUERY_DATASET_CONTENTS_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_METRICS_IDLE_CALL_SITES_H_
#define DLTAP_ANALYZER_METRICS_IDLE_CALL_SITES_H_

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// A place in the program, as rows by site name it.
struct SiteName {
  std::string text;  // "train.py:12 forward (Net > Linear)"
  std::string path;  // all that tells it apart, one frame a line, innermost
                     // first; empty: no site is known

  auto operator<=>(const SiteName&) const = default;
};

// What is behind the last slash.
std::string_view BaseName(std::string_view path);

// Whether a Python file is no part of the program itself.
bool IsLibraryFile(std::string_view file);

// Of a recorded path: a Python one is named by its innermost line that is not a
// library's, and the modules around it; a native one by its functions.
SiteName NameOfSite(const LaunchSite& site);

// The sites of one process's calls: recorded ones, or what the Python frames of
// an imported trace say. Holds references.
class CallSites {
 public:
  CallSites(const TraceModel& model, const Process& process);

  // Whether any call has one.
  bool any() const { return !names_.empty(); }
  // Into names(); -1: none.
  int Of(CallId call) const;
  const std::vector<SiteName>& names() const { return names_; }

 private:
  void AddRecorded(const TraceModel& model);
  void AddFrames(const TraceModel& model);
  int NumberOf(SiteName name);

  const Process& process_;
  std::vector<SiteName> names_;
  absl::flat_hash_map<std::string, int> numbers_;  // by path
  absl::flat_hash_map<std::pair<size_t, uint64_t>, int> recorded_;
  std::vector<int> by_call_;  // of imported traces
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_METRICS_IDLE_CALL_SITES_H_

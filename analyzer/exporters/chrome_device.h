// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_CHROME_DEVICE_H_
#define DLTAP_ANALYZER_EXPORTERS_CHROME_DEVICE_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analyzer/attribution/names/name_rules.h"
#include "analyzer/exporters/chrome_event.h"
#include "analyzer/exporters/export_input.h"

namespace dltap::analyzer {

// "External id" of what launched: operators first, then library calls. 0 means
// none.
inline uint64_t RangeExternalId(size_t range) { return range + 1; }
inline uint64_t CallExternalId(const Process& process, size_t call) {
  return process.ranges.size() + 1 + call;
}

// The devices of a process as Chrome trace events: a device is a pid, a stream
// a tid.
class ChromeDevices {
 public:
  ChromeDevices(const ExportInput& input, size_t p, ChromeEvents& events);

  void WriteProperties(JsonWriter& json) const;
  void WriteNames();
  // Activities, waits, and the ends of `flows`, by correlation id.
  void Write(const absl::flat_hash_set<uint64_t>& flows);

 private:
  ChromeRow RowOf(const Activity& activity) const;
  void WriteActivity(size_t i);
  void WritePlace(const Activity& activity);
  void WriteShape(const Activity& activity);
  void WriteCollective(size_t activity);
  void WriteClass(size_t activity);
  void WriteEvidence(const Activity& activity, const Attributed& attributed);
  void WriteSyncs();
  const NameRule* RuleOf(TextId name);

  const ExportInput& input_;
  const TraceModel& model_;
  const Process& process_;
  const ProcessAttribution& attribution_;
  ChromeEvents& events_;
  std::vector<int64_t> stream_numbers_;  // as they are written; by StreamId
  absl::flat_hash_map<size_t, const CollectiveRun*> run_of_;  // by activity
  absl::flat_hash_map<size_t, const NameRule*> rules_;        // by kernel name
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_CHROME_DEVICE_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_READER_MODEL_BUILDER_H_
#define DLTAP_ANALYZER_READER_MODEL_BUILDER_H_

#include <map>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// The part of a model that its processes share: equal definitions of several
// processes become one.
class ModelBuilder {
 public:
  EntryPointId AddEntryPoint(EntryPoint entry);
  // A definition lost: the calls keep their times under this name.
  EntryPointId UnknownEntryPoint();
  OperationId AddOperation(OperationNodes nodes);
  // Equal paths are one site.
  SiteId AddSite(const LaunchSite& site);

  TraceModel& model() { return model_; }

 private:
  TraceModel model_;
  absl::flat_hash_map<std::string, EntryPointId> entry_points_;
  std::map<LaunchSite, SiteId> sites_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_READER_MODEL_BUILDER_H_

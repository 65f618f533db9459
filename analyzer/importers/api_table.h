// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_IMPORTERS_API_TABLE_H_
#define DLTAP_ANALYZER_IMPORTERS_API_TABLE_H_

#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "analyzer/importers/cuda_api_names.h"
#include "analyzer/model/trace_model.h"

namespace dltap::analyzer {

// The entry points of a model by name, also those of files read before.
class ApiTable {
 public:
  explicit ApiTable(TraceModel& model) : model_(model) {
    for (size_t i = 0; i < model.entry_points.size(); ++i) {
      ids_.try_emplace(KeyOf(model.entry_points[i].symbol), i);
    }
  }

  EntryPointId Find(std::string_view given, std::string_view library) {
    const std::string_view name = WithoutToolVersion(given);
    const auto [it, is_new] =
        ids_.try_emplace(KeyOf(name), model_.entry_points.size());
    if (is_new) {
      model_.entry_points.push_back(
          {std::string(name), std::string(library), {}, FindApi(name)});
    }
    return EntryPointId(it->second);
  }

 private:
  size_t KeyOf(std::string_view name) {
    return model_.texts.Intern(name).value();
  }

  TraceModel& model_;
  absl::flat_hash_map<size_t, size_t> ids_;  // by name
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_IMPORTERS_API_TABLE_H_

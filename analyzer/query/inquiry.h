// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_QUERY_INQUIRY_H_
#define DLTAP_ANALYZER_QUERY_INQUIRY_H_

#include <map>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analyzer/query/answer.h"
#include "analyzer/query/dataset.h"

namespace dltap::analyzer {

// The answer to one question.
absl::StatusOr<Answer> AskDataset(
    Dataset& dataset, std::string_view question,
    const std::map<std::string, std::string>& settings);

// Many questions about the same run and steps. What several of them include is
// worked out once and kept in tables: their answers are those of AskDataset.
class Inquiry {
 public:
  // `scope` sets `run`, `from_step` and `to_step`, in every question that has
  // them. `dataset` must outlive the result.
  static absl::StatusOr<Inquiry> Begin(
      Dataset& dataset, std::map<std::string, std::string> scope);

  absl::StatusOr<Answer> Ask(std::string_view question,
                             std::map<std::string, std::string> settings = {});

 private:
  Inquiry(Dataset& dataset, std::map<std::string, std::string> scope)
      : dataset_(&dataset), scope_(std::move(scope)) {}

  Dataset* dataset_;
  std::map<std::string, std::string> scope_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_QUERY_INQUIRY_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_CLI_TEMPORARY_FOLDER_H_
#define DLTAP_ANALYZER_CLI_TEMPORARY_FOLDER_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace dltap::analyzer {

// Makes "$TMPDIR/dltap-STEM-xxxxxx" (/tmp where that is unset), which only this
// user can look into: traces name files and commands. The caller removes it.
absl::StatusOr<std::string> MakeTemporaryFolder(std::string_view stem);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_CLI_TEMPORARY_FOLDER_H_

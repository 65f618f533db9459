// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace dltap::analyzer {

absl::StatusOr<std::string> MakeTemporaryFolder(std::string_view stem) {
  const char* root = std::getenv("TMPDIR");
  std::string folder = root != nullptr && root[0] != '\0' ? root : "/tmp";
  folder += "/dltap-" + std::string(stem) + "-XXXXXX";
  if (mkdtemp(folder.data()) != nullptr) return folder;
  return absl::FailedPreconditionError(
      absl::StrCat(folder, ": ", std::strerror(errno)));
}

}  // namespace dltap::analyzer

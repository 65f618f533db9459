// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/write_output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "absl/strings/str_cat.h"

namespace dltap::analyzer {

absl::Status WriteOutput(const std::string& path, const std::string& text) {
  if (path == "-") {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return absl::OkStatus();
  }
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (file.good()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(path, ": cannot be written: ", std::strerror(errno)));
}

}  // namespace dltap::analyzer

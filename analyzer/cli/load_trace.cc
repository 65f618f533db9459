// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/load_trace.h"

#include <filesystem>
#include <fstream>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "analyzer/importers/kineto.h"

namespace dltap::analyzer {
namespace {

constexpr std::string_view kGzipMagic = "\x1f\x8b";

absl::StatusOr<std::string> HeadOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string head(4096, '\0');
  if (!file.read(head.data(), static_cast<std::streamsize>(head.size())) &&
      file.gcount() == 0) {
    return absl::DataLossError(
        absl::StrCat(path, ": the file is empty; was the run cut short?"));
  }
  head.resize(static_cast<size_t>(file.gcount()));
  return head;
}

absl::Status AddPath(const std::string& path, TraceModel& model) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    return absl::NotFoundError(absl::StrCat(
        path, ": no such file or directory; name what dltap run -o wrote"));
  }
  const absl::StatusOr<std::string> head = HeadOf(path);
  if (!head.ok()) return head.status();
  if (LooksLikeKineto(*head) || head->starts_with(kGzipMagic)) {
    return ImportKineto(path, model);
  }
  return absl::InvalidArgumentError(absl::StrCat(
      path, ": no trace that dltap knows (own traces, Kineto JSON)"));
}

}  // namespace

absl::StatusOr<TraceModel> LoadTrace(const std::vector<std::string>& paths) {
  TraceModel model;
  for (const std::string& path : paths) {
    if (absl::Status status = AddPath(path, model); !status.ok()) return status;
  }
  Normalise(model);
  return model;
}

}  // namespace dltap::analyzer

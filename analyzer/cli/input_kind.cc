// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/input_kind.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "analyzer/importers/kineto.h"
#include "analyzer/importers/ncu_csv.h"
#include "analyzer/reader/pack/pack.h"
#include "analyzer/reader/trace_files.h"

namespace dltap::analyzer {
namespace {

namespace fs = std::filesystem;

constexpr size_t kHeadBytes = 65536;  // a program's output before a table
constexpr std::string_view kGzipMagic = "\x1f\x8b";
constexpr std::string_view kSqliteMagic = "SQLite format 3";
constexpr std::string_view kTextBegin = "format ";

absl::StatusOr<std::string> HeadOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return absl::PermissionDeniedError(
        absl::StrCat(path, ": cannot open it: ", std::strerror(errno)));
  }
  std::string head(kHeadBytes, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<size_t>(file.gcount()));
  if (head.empty()) {
    return absl::DataLossError(
        absl::StrCat(path, ": the file is empty; was the run cut short?"));
  }
  return head;
}

// Text in two or four bytes a letter, as PowerShell writes it.
bool IsWideText(std::string_view head) {
  if (head.starts_with("\xFF\xFE") || head.starts_with("\xFE\xFF")) return true;
  return head.size() > 1 && (head[0] == '\0') != (head[1] == '\0');
}

}  // namespace

absl::StatusOr<InputKind> KindOfFile(const std::string& path) {
  const absl::StatusOr<std::string> head = HeadOf(path);
  if (!head.ok()) return head.status();
  if (LooksLikeOwnTrace(*head) || LooksLikePack(*head)) {
    return InputKind::kOwnTrace;
  }
  if (head->starts_with(kSqliteMagic)) return InputKind::kNsys;
  if (head->starts_with(kTextBegin)) return InputKind::kText;
  if (IsWideText(*head)) {
    return absl::DataLossError(
        absl::StrCat(path,
                     ": UTF-16 or UTF-32 at byte 0, where UTF-8 is read; "
                     "convert it with iconv -f UTF-16 -t UTF-8"));
  }
  if (head->starts_with(kGzipMagic) || LooksLikeKineto(*head)) {
    return InputKind::kKineto;
  }
  if (LooksLikeNcuCsv(*head)) return InputKind::kNcuCsv;
  return absl::DataLossError(
      absl::StrCat(path,
                   ": no trace that dltap knows (own traces, Kineto JSON, "
                   "text of dltap dump, CSV of ncu)"));
}

absl::StatusOr<std::vector<std::string>> InputsAt(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    return absl::NotFoundError(absl::StrCat(
        path, ": no such file or directory; name what dltap run -o wrote"));
  }
  if (!fs::is_directory(status)) return std::vector<std::string>{path};
  std::vector<std::string> imported;
  fs::directory_iterator it(path, error);
  for (; !error && it != fs::directory_iterator(); it.increment(error)) {
    const std::string name = it->path().string();
    if (name.ends_with(".dltap") || name.ends_with(".ring") ||
        name.ends_with(kPackSuffix)) {
      return std::vector<std::string>{path};
    }
    if (name.ends_with(".json") || name.ends_with(".json.gz") ||
        name.ends_with(".sqlite")) {
      imported.push_back(name);
    }
  }
  std::sort(imported.begin(), imported.end());
  // With none, the reader of own traces says what is missing.
  if (imported.empty()) return std::vector<std::string>{path};
  return imported;
}

}  // namespace dltap::analyzer

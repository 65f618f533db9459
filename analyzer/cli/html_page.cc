// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/html_page.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "absl/strings/str_cat.h"
#include "analyzer/cli/command.h"
#include "analyzer/cli/summarise_trace.h"
#include "analyzer/reports/json_report.h"
#include "analyzer/web/json_pictures.h"
#include "analyzer/web/page.h"

namespace dltap::analyzer {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

// Not there, or a page of ours.
bool MayWrite(const std::string& path) {
  if (access(path.c_str(), F_OK) != 0) return true;
  const File file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (file == nullptr) return false;
  std::string head(kPageMark.size(), '\0');
  head.resize(std::fread(head.data(), 1, head.size(), file.get()));
  return head == kPageMark;
}

bool WriteAll(const std::string& path, const std::string& text) {
  const File file(std::fopen(path.c_str(), "wb"), std::fclose);
  return file != nullptr &&
         std::fwrite(text.data(), 1, text.size(), file.get()) == text.size() &&
         std::fflush(file.get()) == 0;
}

// A page that was begun is never left in the place of a whole one.
absl::Status Replace(const std::string& path, const std::string& text) {
  const std::string part = absl::StrCat(path, ".part");
  if (WriteAll(part, text) && rename(part.c_str(), path.c_str()) == 0) {
    return absl::OkStatus();
  }
  const int error = errno;
  unlink(part.c_str());
  return absl::InternalError(absl::StrCat(path, ": ", std::strerror(error)));
}

absl::Status Write(const std::string& page, const std::string& file) {
  if (file == "-") {
    std::fwrite(page.data(), 1, page.size(), stdout);
    return absl::OkStatus();
  }
  if (const absl::Status written = Replace(file, page); !written.ok()) {
    return written;
  }
  constexpr double kMegabyte = 1e6;
  std::fprintf(stderr, "dltap: wrote %s (%.1f MB)\n", file.c_str(),
               static_cast<double>(page.size()) / kMegabyte);
  return absl::OkStatus();
}

}  // namespace

absl::Status MayWritePage(const std::string& file) {
  if (file == "-" || MayWrite(file)) return absl::OkStatus();
  return absl::AlreadyExistsError(absl::StrCat(
      file,
      " is there and is no page of dltap's; remove it, or choose another "
      "name"));
}

absl::Status WritePage(const std::string& report, const std::string& pictures,
                       const std::string& file) {
  const absl::StatusOr<std::string> page = HtmlPage(report, pictures);
  return page.ok() ? Write(*page, file) : page.status();
}

int WriteHtml(const HtmlRequest& request, const std::string& file) {
  const absl::Status may_write = MayWritePage(file);
  if (!may_write.ok()) return Fail(may_write);
  std::optional<Pictures> pictures;
  const SummarisedTrace trace = SummariseWithPictures(
      request.paths, request.attribution, request.selection, pictures);
  if (!trace.usage.ok()) return FailUsage(request.command, trace.usage);
  if (!trace.summary.ok()) return Fail(trace.summary.status());
  const Figures figures = FiguresOf(*trace.summary, request.samples_per_step);
  const absl::Status written =
      WritePage(JsonReport(*trace.summary, figures, JsonLayers::kNone),
                JsonPictures(figures, pictures ? &*pictures : nullptr), file);
  return written.ok() ? kExitOk : Fail(written);
}

}  // namespace dltap::analyzer

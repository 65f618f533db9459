// SPDX-License-Identifier: Apache-2.0
#include "analyzer/web/page.h"

#include <zlib.h>

#include "absl/strings/escaping.h"

extern "C" {
extern const char dltap_page_begin[];  // page.S
extern const char dltap_page_end[];
}

namespace dltap::analyzer {
namespace {

constexpr std::string_view kDataMark = "<!--data-->";

absl::StatusOr<std::string> Gzip(std::string_view text) {
  z_stream stream{};
  constexpr int kGzipWindow = 15 + 16;
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzipWindow, 9,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    return absl::ResourceExhaustedError("no memory to compress the page");
  }
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int end = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (end == Z_STREAM_END) return out;
  return absl::InternalError("the page's data did not compress");
}

// A script that no browser runs: its text needs no escapes.
absl::Status AddData(std::string_view id, std::string_view text,
                     std::string& page) {
  // Of what zlib takes at once.
  if (text.size() >= uint64_t{1} << 31) {
    return absl::ResourceExhaustedError("the report is too long for a page");
  }
  const absl::StatusOr<std::string> packed = Gzip(text);
  if (!packed.ok()) return packed.status();
  std::string base64;
  absl::Base64Escape(*packed, &base64);
  page.append("<script type=\"application/octet-stream\" id=\"").append(id);
  page.append("\">").append(base64).append("</script>\n");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> HtmlPage(std::string_view report,
                                     std::string_view pictures) {
  const std::string_view page(
      dltap_page_begin, static_cast<size_t>(dltap_page_end - dltap_page_begin));
  const size_t mark = page.find(kDataMark);
  if (!page.starts_with(kPageMark) || mark == page.npos) {
    return absl::UnavailableError(
        "this dltap was built without npm and has no page; install Node.js "
        "and npm, run scripts/setup.sh and build it again");
  }
  std::string out(page.substr(0, mark));
  if (absl::Status added = AddData("report", report, out); !added.ok()) {
    return added;
  }
  if (absl::Status added = AddData("pictures", pictures, out); !added.ok()) {
    return added;
  }
  out += page.substr(mark + kDataMark.size());
  return out;
}

}  // namespace dltap::analyzer

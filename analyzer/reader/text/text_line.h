// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_READER_TEXT_TEXT_LINE_H_
#define DLTAP_ANALYZER_READER_TEXT_TEXT_LINE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace dltap::analyzer {

// One line of the text grammar: `kind word ... key=value ...`. Values may be
// quoted. Fields remember whether they were asked for, so that a misspelled
// key is an error and not silence.
class TextLine {
 public:
  struct Field {
    std::string key;
    std::string value;
    bool used = false;
  };

  static absl::StatusOr<TextLine> Scan(std::string_view line);

  const std::string& kind() const { return kind_; }
  // False: a blank line or a comment.
  bool has_content() const { return !kind_.empty(); }

  // The n-th bare word after the kind; empty when there are fewer.
  std::string_view Word(size_t n) const;
  bool HasWord(std::string_view word) const;

  bool Has(std::string_view key) const;
  std::optional<std::string_view> Get(std::string_view key);
  std::string_view GetOr(std::string_view key, std::string_view otherwise);
  // In the order of the line; for lines whose keys are open-ended.
  std::vector<Field>& fields() { return fields_; }
  const std::vector<std::string>& words() const { return words_; }

  // A field that was never asked for; empty if there is none.
  std::string_view UnusedKey() const;

 private:
  std::string kind_;
  std::vector<std::string> words_;
  std::vector<Field> fields_;
};

struct TextSpan {
  int64_t begin_ns;
  int64_t end_ns;
};

// "10us", "1.5ms", "-3ns"; a bare number is ns.
std::optional<int64_t> ParseTime(std::string_view text);
// "10..12us", "10us..1ms", or one time: begin and end are equal.
std::optional<TextSpan> ParseSpan(std::string_view text);
// Decimal or 0x hexadecimal.
std::optional<int64_t> ParseInteger(std::string_view text);

// `text` in quotes, with \" \\ and \xHH for what is not printable ASCII.
std::string Quoted(std::string_view text);

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_READER_TEXT_TEXT_LINE_H_

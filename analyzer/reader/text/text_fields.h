// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_READER_TEXT_TEXT_FIELDS_H_
#define DLTAP_ANALYZER_READER_TEXT_TEXT_FIELDS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "analyzer/reader/text/text_line.h"
#include "analyzer/reader/text/text_words.h"

namespace dltap::analyzer {

// Typed access to a line's fields. The first bad value is kept as the status
// and zero stands in for it, so that callers check once, at the end.
class TextFields {
 public:
  static constexpr uint64_t kMaxIndex = 1 << 20;

  explicit TextFields(TextLine& line) : line_(line) {}

  int64_t Int(std::string_view key, int64_t otherwise = 0);
  int64_t IntWord(size_t n);  // the n-th bare word
  // The same for numbers of threads and operations, which are small.
  uint64_t Index(std::string_view key);
  uint64_t IndexWord(size_t n);
  int64_t Time(std::string_view key, int64_t otherwise = 0);
  TextSpan Span();  // key "t", required
  std::string Text(std::string_view key, std::string_view otherwise = "");
  std::array<uint32_t, 3> Extent(std::string_view key);  // "8,8,1", "8"
  bool Flag(std::string_view word) const { return line_.HasWord(word); }

  template <typename Enum, size_t kCount>
  Enum Word(std::string_view key,
            const std::array<std::string_view, kCount>& words,
            Enum otherwise = Enum{}) {
    const auto text = line_.Get(key);
    if (!text) return otherwise;
    const auto value = FromWord<Enum>(words, *text);
    if (!value) Fail(key, *text);
    return value.value_or(otherwise);
  }

  TextLine& line() { return line_; }
  // Also an error: a key that was never asked for.
  absl::Status status() const;
  void Fail(std::string_view key, std::string_view value);

 private:
  uint64_t CheckIndex(int64_t value);

  TextLine& line_;
  absl::Status status_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_READER_TEXT_TEXT_FIELDS_H_

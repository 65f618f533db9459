// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_READER_TEXT_PRINT_LINE_H_
#define DLTAP_ANALYZER_READER_TEXT_PRINT_LINE_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "analyzer/reader/text/print_options.h"
#include "analyzer/reader/text/text_line.h"

namespace dltap::analyzer {

// Collects text and hands it on in large pieces.
class LinePrinter {
 public:
  LinePrinter(TextSink sink, void* context) : sink_(sink), context_(context) {}
  ~LinePrinter() { Flush(); }
  LinePrinter(const LinePrinter&) = delete;
  LinePrinter& operator=(const LinePrinter&) = delete;

  LinePrinter& Begin(std::string_view kind) {
    text_.append(kind);
    return *this;
  }
  LinePrinter& Word(std::string_view word);  // one that needs no quotes
  LinePrinter& Name(std::string_view name);  // quoted where it must be
  LinePrinter& Number(int64_t value);
  LinePrinter& Field(std::string_view key, int64_t value);
  LinePrinter& Hex(std::string_view key, uint64_t value);
  LinePrinter& Real(std::string_view key, double value);
  LinePrinter& Text(std::string_view key, std::string_view value);
  LinePrinter& Plain(std::string_view key, std::string_view word);
  LinePrinter& Span(int64_t begin_ns, int64_t end_ns);
  LinePrinter& Extent(std::string_view key,
                      const std::array<uint32_t, 3>& extent);
  // Times, with their unit.
  LinePrinter& Ns(std::string_view key, int64_t ns);
  // Nothing when the value is 0 or empty.
  LinePrinter& Maybe(std::string_view key, int64_t value);
  LinePrinter& MaybeText(std::string_view key, std::string_view value);
  LinePrinter& MaybeWord(std::string_view word, bool present);
  void End();

  bool stopped() const { return stopped_; }

 private:
  LinePrinter& Key(std::string_view key);
  void Flush();

  TextSink sink_;
  void* context_;
  std::string text_;
  bool stopped_ = false;
};

// Numbers values by first use from 1; 0 stays 0.
class Renumbering {
 public:
  uint64_t Of(uint64_t value) {
    if (value == 0) return 0;
    return numbers_.try_emplace(value, numbers_.size() + 1).first->second;
  }

 private:
  std::unordered_map<uint64_t, uint64_t> numbers_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_READER_TEXT_PRINT_LINE_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_EVENT_ROWS_H_
#define DLTAP_ANALYZER_EXPORTERS_EVENT_ROWS_H_

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/exporters/export_input.h"
#include "analyzer/output/column_rows.h"
#include "analyzer/output/text_table.h"

namespace dltap::analyzer {

// Rows for events of the processes that are wanted, one after the other: an
// event is a number into an array of its process.
class EventRows : public ColumnRows {
 public:
  EventRows(const ExportInput& input, std::span<const TypedColumn> columns);

  std::span<const TypedColumn> columns() const override { return columns_; }
  size_t rows() const override { return events_.size(); }
  std::span<const std::string> Texts(size_t column) const override {
    return texts_[column].texts();
  }
  void Fill(size_t first, size_t count, std::span<ColumnPlace> places) override;

 protected:
  // Some of the rows, all of one process.
  struct Block {
    size_t process;
    uint32_t owner;  // text of the first column
    std::span<const uint32_t> events;
    size_t row;  // of the first one, in the places
  };
  virtual void FillBlock(const Block& block, std::span<ColumnPlace> places) = 0;

  // Constructors add the events, process by process.
  void BeginProcess(size_t p);
  void AddEvent(size_t event) {
    events_.push_back(static_cast<uint32_t>(event));
  }
  void Reserve(size_t events) { events_.reserve(events_.size() + events); }

  TextTable& texts(size_t column) { return texts_[column]; }
  // The first two columns.
  void FillOwner(const Block& block, std::span<ColumnPlace> places) const;
  const ExportInput& input() const { return input_; }

 private:
  struct Start {
    size_t process;
    size_t row;
    uint32_t owner;  // text of the first column
  };

  const ExportInput& input_;
  const std::span<const TypedColumn> columns_;
  std::vector<TextTable> texts_;
  std::vector<uint32_t> events_;
  std::vector<Start> starts_;
};

// The numbers in a TextTable of what small values are called, where they are.
template <typename T>
class WordNumbers {
 public:
  WordNumbers() { numbers_.fill(ColumnRows::kNoText); }
  void Add(T value, TextTable& texts) {
    uint32_t& number = numbers_[static_cast<size_t>(value)];
    if (number == ColumnRows::kNoText) number = texts.Add(Name(value));
  }
  uint32_t Of(T value) const { return numbers_[static_cast<size_t>(value)]; }

 private:
  std::array<uint32_t, 256> numbers_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_EVENT_ROWS_H_

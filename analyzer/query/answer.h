// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_QUERY_ANSWER_H_
#define DLTAP_ANALYZER_QUERY_ANSWER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "analyzer/duckdb/duckdb.h"
#include "analyzer/output/row_sink.h"

namespace dltap::analyzer {

// The rows of a question's answer, in memory: questions have few.
class Answer : public RowSink {
 public:
  using Value =
      std::variant<std::monostate, std::string, int64_t, double, bool>;

  Answer() = default;
  explicit Answer(const ResultColumns& columns);

  void Text(std::string_view text) override { Add(std::string(text)); }
  void Integer(int64_t number) override { Add(number); }
  void Real(double number) override { Add(number); }
  void Flag(bool flag) override { Add(flag); }
  void Null() override { Add(std::monostate()); }
  void EndRow() override { rows_.emplace_back(); }

  const std::vector<std::string>& columns() const { return columns_; }
  size_t size() const { return rows_.empty() ? 0 : rows_.size() - 1; }
  bool empty() const { return size() == 0; }
  const std::vector<Value>& row(size_t i) const { return rows_[i]; }
  // Of a column that there is; nullopt, or "": null.
  std::optional<double> Number(size_t row, std::string_view column) const;
  std::optional<int64_t> Whole(size_t row, std::string_view column) const;
  bool Flag(size_t row, std::string_view column) const;  // false: null, too
  std::string Word(size_t row, std::string_view column) const;

 private:
  void Add(Value value);
  const Value& At(size_t row, std::string_view column) const;

  std::vector<std::string> columns_;
  std::vector<std::vector<Value>> rows_;  // the last one is being filled
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_QUERY_ANSWER_H_

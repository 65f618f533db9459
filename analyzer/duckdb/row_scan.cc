// SPDX-License-Identifier: Apache-2.0
#include "analyzer/duckdb/row_scan.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string>

namespace dltap::analyzer {
namespace {

constexpr char kName[] = "dltap_rows";

// The numbers of duckdb_type.
constexpr int kBoolean = 1;
constexpr int kInteger64 = 5;
constexpr int kDouble = 11;
constexpr int kText = 17;

constexpr size_t kWordBits = 64;
using KnownBits = std::array<uint64_t, kRowsAtOnce / kWordBits>;

template <typename To>
void Narrow(const std::vector<uint32_t>& from, size_t count, void* vector) {
  std::transform(from.begin(), from.begin() + static_cast<ptrdiff_t>(count),
                 static_cast<To*>(vector),
                 [](uint32_t text) { return static_cast<To>(text); });
}

// As wide as the ENUM needs: DuckDB chooses by the count of its values.
void WriteTexts(const std::vector<uint32_t>& from, size_t count,
                size_t distinct, void* vector) {
  if (distinct == 0) return;  // no ENUM, all null
  if (distinct <= UINT8_MAX) return Narrow<uint8_t>(from, count, vector);
  if (distinct <= UINT16_MAX) return Narrow<uint16_t>(from, count, vector);
  Narrow<uint32_t>(from, count, vector);
}

}  // namespace

absl::Status RowScan::Register(void* connection) {
  void* function = call_.create_table_function();
  call_.table_function_set_name(function, kName);
  call_.table_function_set_extra_info(function, this, nullptr);
  call_.table_function_set_bind(function, Bind);
  call_.table_function_set_init(function, Init);
  call_.table_function_set_function(function, Next);
  const int state = call_.register_table_function(connection, function);
  call_.destroy_table_function(&function);
  return state == 0 ? absl::OkStatus()
                    : absl::InternalError("DuckDB takes no table function");
}

void RowScan::Give(ColumnRows& rows, size_t first, size_t count) {
  rows_ = &rows;
  first_ = first;
  end_ = first + count;
  texts_.assign(rows.columns().size(), {});
  for (size_t c = 0; c < texts_.size(); ++c) {
    if (rows.columns()[c].type == ColumnType::kText) {
      texts_[c].resize(kRowsAtOnce);
    }
  }
}

void* RowScan::TypeOf(size_t column) const {
  switch (rows_->columns()[column].type) {
    case ColumnType::kInteger: return call_.create_logical_type(kInteger64);
    case ColumnType::kReal: return call_.create_logical_type(kDouble);
    case ColumnType::kFlag: return call_.create_logical_type(kBoolean);
    case ColumnType::kText: break;
  }
  const std::span<const std::string> texts = rows_->Texts(column);
  // An ENUM without values is none.
  if (texts.empty()) return call_.create_logical_type(kText);
  std::vector<const char*> names;
  for (const std::string& text : texts) names.push_back(text.c_str());
  return call_.create_enum_type(names.data(), names.size());
}

void RowScan::Bind(void* info) {
  const DuckdbFunctions& call = **LoadDuckdb();
  const auto& self = *static_cast<RowScan*>(call.bind_get_extra_info(info));
  const std::span<const TypedColumn> columns = self.rows_->columns();
  for (size_t c = 0; c < columns.size(); ++c) {
    void* type = self.TypeOf(c);
    call.bind_add_result_column(info, std::string(columns[c].name).c_str(),
                                type);
    call.destroy_logical_type(&type);
  }
  call.bind_set_cardinality(info, self.end_ - self.first_, true);
}

void RowScan::Init(void* info) {
  const DuckdbFunctions& call = **LoadDuckdb();
  auto& self = *static_cast<RowScan*>(call.init_get_extra_info(info));
  self.at_ = self.first_;
  call.init_set_max_threads(info, 1);
}

void RowScan::Next(void* info, void* chunk) {
  const DuckdbFunctions& call = **LoadDuckdb();
  auto& self = *static_cast<RowScan*>(call.function_get_extra_info(info));
  const size_t at_once = std::min<size_t>(kRowsAtOnce, call.vector_size());
  const size_t count = std::min(at_once, self.end_ - self.at_);
  if (count > 0) self.FillChunk(count, chunk);
  call.data_chunk_set_size(chunk, count);
  self.at_ += count;
}

void RowScan::FillChunk(size_t count, void* chunk) {
  const std::span<const TypedColumn> columns = rows_->columns();
  std::vector<KnownBits> known(columns.size());
  std::vector<ColumnPlace> places(columns.size());
  std::vector<void*> data(columns.size());
  for (size_t c = 0; c < columns.size(); ++c) {
    data[c] = call_.vector_get_data(call_.data_chunk_get_vector(chunk, c));
    known[c].fill(~uint64_t{0});
    places[c].known = known[c].data();
    switch (columns[c].type) {
      case ColumnType::kInteger:
        places[c].integers = static_cast<int64_t*>(data[c]);
        break;
      case ColumnType::kReal:
        places[c].reals = static_cast<double*>(data[c]);
        break;
      case ColumnType::kFlag:
        places[c].flags = static_cast<uint8_t*>(data[c]);
        break;
      case ColumnType::kText: places[c].texts = texts_[c].data(); break;
    }
  }
  rows_->Fill(at_, count, places);
  for (size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].type == ColumnType::kText) {
      WriteTexts(texts_[c], count, rows_->Texts(c).size(), data[c]);
    }
    if (!places[c].has_null) continue;
    void* const vector = call_.data_chunk_get_vector(chunk, c);
    call_.vector_ensure_validity_writable(vector);
    std::memcpy(call_.vector_get_validity(vector), known[c].data(),
                (count + kWordBits - 1) / kWordBits * sizeof(uint64_t));
  }
}

}  // namespace dltap::analyzer

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/output/column_rows.h"

#include <algorithm>

namespace dltap::analyzer {
namespace {

constexpr size_t kWordBits = 64;

// Room for the values of one column, whatever its type.
struct Room {
  std::vector<int64_t> integers = {};
  std::vector<double> reals = {};
  std::vector<uint8_t> flags = {};
  std::vector<uint32_t> texts = {};
  std::vector<uint64_t> known = {};

  ColumnPlace Place(ColumnType type) {
    known.assign(kRowsAtOnce / kWordBits, ~uint64_t{0});
    ColumnPlace place{.known = known.data()};
    switch (type) {
      case ColumnType::kInteger:
        integers.resize(kRowsAtOnce);
        place.integers = integers.data();
        break;
      case ColumnType::kReal:
        reals.resize(kRowsAtOnce);
        place.reals = reals.data();
        break;
      case ColumnType::kFlag:
        flags.resize(kRowsAtOnce);
        place.flags = flags.data();
        break;
      case ColumnType::kText:
        texts.resize(kRowsAtOnce);
        place.texts = texts.data();
        break;
    }
    return place;
  }
};

void WriteValue(const ColumnRows& rows, size_t column, const ColumnPlace& from,
                size_t row, RowSink& sink) {
  if ((from.known[row / kWordBits] >> (row % kWordBits) & 1) == 0) {
    return sink.Null();
  }
  switch (rows.columns()[column].type) {
    case ColumnType::kInteger: return sink.Integer(from.integers[row]);
    case ColumnType::kReal: return sink.Real(from.reals[row]);
    case ColumnType::kFlag: return sink.Flag(from.flags[row] != 0);
    case ColumnType::kText:
      return sink.Text(rows.Texts(column)[from.texts[row]]);
  }
}

}  // namespace

void WriteRows(ColumnRows& rows, RowSink& sink) {
  const std::span<const TypedColumn> columns = rows.columns();
  std::vector<Room> room(columns.size());
  std::vector<ColumnPlace> places(columns.size());
  for (size_t first = 0; first < rows.rows(); first += kRowsAtOnce) {
    const size_t count = std::min(kRowsAtOnce, rows.rows() - first);
    for (size_t c = 0; c < columns.size(); ++c) {
      places[c] = room[c].Place(columns[c].type);
    }
    rows.Fill(first, count, places);
    for (size_t row = 0; row < count; ++row) {
      for (size_t c = 0; c < columns.size(); ++c) {
        WriteValue(rows, c, places[c], row, sink);
      }
      sink.EndRow();
    }
  }
}

}  // namespace dltap::analyzer

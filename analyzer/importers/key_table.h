// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_IMPORTERS_KEY_TABLE_H_
#define DLTAP_ANALYZER_IMPORTERS_KEY_TABLE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

namespace dltap::analyzer {

// A few fixed texts and what each stands for, for look-ups many times an
// event: a text that is none of them is known by its length or first bytes,
// and those of up to 16 bytes are compared without a loop.
template <typename Value, size_t kRows>
class KeyTable {
 public:
  using Row = std::pair<std::string_view, Value>;

  // In any order.
  constexpr explicit KeyTable(const Row (&rows)[kRows]) {
    size_t next = 0;
    for (size_t length = 0; length <= kLongest; ++length) {
      first_[length] = static_cast<uint8_t>(next);
      for (const Row& row : rows) {
        if (row.first.size() != length) continue;
        ends_[next] = EndsOf(row.first);
        rows_[next++] = row;
      }
    }
    first_[kLongest + 1] = static_cast<uint8_t>(next);
    is_whole_ = next == kRows;
  }

  // Whether no text was too long.
  constexpr bool is_whole() const { return is_whole_; }

  // nullptr: none of them.
  const Value* Find(std::string_view text) const {
    const size_t length = text.size();
    if (length > kLongest || first_[length] == first_[length + 1]) {
      return nullptr;
    }
    const Ends ends = EndsOf(text);
    for (size_t i = first_[length]; i < first_[length + 1]; ++i) {
      if (ends_[i] != ends) continue;
      if (length <= 16 || rows_[i].first == text) return &rows_[i].second;
    }
    return nullptr;
  }

 private:
  static constexpr size_t kLongest = 40;
  static_assert(kRows < 256);

  // The first eight bytes and the last; of shorter texts all.
  using Ends = std::pair<uint64_t, uint64_t>;

  template <size_t kBytes>
  static constexpr uint64_t Bytes(const char* at) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < kBytes; ++i) {
      bytes |= static_cast<uint64_t>(static_cast<unsigned char>(at[i]))
               << (8 * i);
    }
    return bytes;
  }

  static constexpr Ends EndsOf(std::string_view text) {
    const char* begin = text.data();
    const size_t size = text.size();
    const char* end = begin + size;
    if (size >= 8) return {Bytes<8>(begin), Bytes<8>(end - 8)};
    if (size >= 4) return {Bytes<4>(begin), Bytes<4>(end - 4)};
    if (size >= 2) return {Bytes<2>(begin), Bytes<2>(end - 2)};
    return {size == 1 ? Bytes<1>(begin) : 0, 0};
  }

  std::array<Row, kRows> rows_{};
  std::array<Ends, kRows> ends_{};
  std::array<uint8_t, kLongest + 2> first_{};
  bool is_whole_ = false;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_IMPORTERS_KEY_TABLE_H_

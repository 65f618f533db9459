// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_IMPORTERS_JSON_PIECES_H_
#define DLTAP_ANALYZER_IMPORTERS_JSON_PIECES_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

struct gzFile_s;

namespace dltap::analyzer {

// One large JSON text, plain or gzipped, read in windows: the members of its
// outermost object one by one, and the elements of one array in batches. What
// a text holds is never in memory at once, and only the brackets are judged
// here: what stands between them is the visitor's.
class JsonPieces {
 public:
  // Where the text ended.
  enum class End : uint8_t {
    kWhole,
    kInsideArray,  // the last element is not whole, or `]` is missing
    kOutside,      // before or after the array
  };
  struct Visitor {
    // A member of the outermost object that is not the array: its raw value,
    // empty where that is longer than `kMaxMemberBytes`.
    std::function<void(std::string_view key, std::string_view value)> member;
    // Some consecutive elements as a JSON array, `[{...}, {...}]`. After the
    // closing bracket follow bytes that may be read, as simdjson needs.
    // `elements` are the objects by themselves.
    std::function<void(std::string_view array,
                       const std::vector<std::string_view>& elements)>
        batch;
  };
  static constexpr size_t kMaxMemberBytes = size_t{16} << 20;
  static constexpr size_t kMaxElementBytes = size_t{256} << 20;
  static constexpr size_t kPadding = 128;  // readable behind a batch, and more

  static absl::StatusOr<JsonPieces> Open(const std::string& path);

  // Reads to the end. The array is the member `array_key` of the outermost
  // object, or the outermost value itself. Damage ends the text where it is;
  // an error only where there is no outermost object or array.
  absl::Status Read(std::string_view array_key, const Visitor& visitor,
                    const std::function<void(double)>& progress);

  // How much of the file was read, compressed as it is: 0 to 1; 0: unknown.
  double part() const;

  bool has_array() const { return has_array_; }
  bool is_bare_array() const { return is_bare_array_; }
  End end() const { return end_; }
  // In bytes of the (inflated) text: where reading stopped, and where the last
  // whole element ended.
  uint64_t bytes() const { return base_ + filled_; }
  uint64_t whole_until() const { return whole_until_; }
  // Elements that are no objects, or are longer than can be held.
  uint64_t odd_elements() const { return odd_elements_; }
  // What the compressed file says of its own damage; empty: nothing.
  const std::string& damage() const { return damage_; }

 private:
  struct Closer {
    void operator()(gzFile_s* file) const;
  };
  struct Scan {  // of the array, up to `at`
    size_t at = 0;
    int depth = 0;  // 0: between elements
    bool in_string = false;
    bool escaped = false;
    bool line_begins = false;  // inside a string, which JSON's must not
    bool closed = false;
    size_t begin = 0;  // of the element under way
    size_t gap = 0;    // where the last element ended
  };

  bool Fill();  // false: no more bytes
  void Drop(size_t bytes);
  int Get();   // next byte outside the array, -1: none
  int Skip();  // next byte that is no white space; not consumed
  bool ReadString(std::string& text);
  bool ReadMember(std::string& value);
  bool ReadTop(std::string_view array_key, const Visitor& visitor);
  bool ReadArray(const Visitor& visitor);
  void ScanArray();
  void ScanByte(char c);
  void OpenAt(size_t at);
  void CloseAt(size_t at);
  void CheckGap(size_t from, size_t to);
  void Deliver(const Visitor& visitor);

  std::unique_ptr<gzFile_s, Closer> file_;
  uint64_t file_bytes_ = 0;
  std::vector<char> buffer_;
  size_t at_ = 0;      // next byte, outside the array
  size_t filled_ = 0;  // bytes in the buffer
  uint64_t base_ = 0;  // bytes dropped before it
  bool at_end_ = false;
  Scan scan_;
  std::vector<std::pair<size_t, size_t>> found_;  // whole elements
  std::vector<std::string_view> elements_;
  const std::function<void(double)>* progress_ = nullptr;

  bool has_array_ = false;
  bool is_bare_array_ = false;
  End end_ = End::kWhole;
  uint64_t whole_until_ = 0;
  uint64_t odd_elements_ = 0;
  std::string damage_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_IMPORTERS_JSON_PIECES_H_

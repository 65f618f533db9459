// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_OUTPUT_JSON_WRITER_H_
#define DLTAP_ANALYZER_OUTPUT_JSON_WRITER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dltap::analyzer {

// Streams one JSON document into a string. The caller opens and closes in
// pairs; commas and escapes are the writer's. Bytes that are no UTF-8 become
// U+FFFD, numbers that are not finite null.
class JsonWriter {
 public:
  void BeginObject() { Open('{'); }
  void EndObject() { Close('}'); }
  void BeginArray() { Open('['); }
  void EndArray() { Close(']'); }
  void Key(std::string_view key);

  void Value(std::string_view text);
  void Value(const char* text) { Value(std::string_view(text)); }
  void Value(int64_t number);
  void Value(uint64_t number);
  void Value(int number) { Value(static_cast<int64_t>(number)); }
  void Value(double number);
  void Value(bool flag);
  void Null();

  template <typename T>
  void Value(const std::optional<T>& value) {
    value ? Value(*value) : Null();
  }
  template <typename T>
  void Field(std::string_view key, const T& value) {
    Key(key);
    Value(value);
  }

  // A field whose value is JSON already.
  void RawField(std::string_view key, std::string_view json);

  // The document so far; clears it, so that a file can be written in parts.
  std::string Take();
  // The same for one element of an array whose commas the caller writes.
  std::string TakeElement();

 private:
  void Open(char bracket);
  void Close(char bracket);
  void Separate();
  void Quote(std::string_view text);

  std::string out_;
  bool needs_comma_ = false;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_OUTPUT_JSON_WRITER_H_

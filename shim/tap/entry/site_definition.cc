// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/site_definition.h"

#include <cstring>

#include "shim/tap/runtime/process_page.h"
#include "shim/tap/runtime/trace_output.h"

namespace dltap::shim {

void SiteDefinition::Begin(trace::SiteKind kind) {
  kind_ = kind;
  is_truncated_ = false;
  frame_count_ = 0;
  string_count_ = 0;
  string_bytes_ = 0;
}

uint16_t SiteDefinition::String(const char* text, uint32_t bytes) {
  for (uint16_t i = 0; i < string_count_; ++i) {
    uint32_t length = 0;
    memcpy(&length, strings_ + starts_[i], sizeof(length));
    if (length == bytes &&
        memcmp(strings_ + starts_[i] + sizeof(length), text, bytes) == 0) {
      return static_cast<uint16_t>(i + 1);
    }
  }
  if (string_count_ == kMostStrings ||
      sizeof(bytes) + bytes > kStringBytes - string_bytes_) {
    return 0;
  }
  starts_[string_count_] = static_cast<uint16_t>(string_bytes_);
  memcpy(strings_ + string_bytes_, &bytes, sizeof(bytes));
  memcpy(strings_ + string_bytes_ + sizeof(bytes), text, bytes);
  string_bytes_ += static_cast<uint32_t>(sizeof(bytes)) + bytes;
  return ++string_count_;
}

uint32_t SiteDefinition::NextId() {
  return g_process.last_site.fetch_add(1, std::memory_order_relaxed) + 1;
}

trace::SiteRecord SiteDefinition::Record(uint32_t id) const {
  trace::SiteRecord record = {};
  record.id = id;
  record.kind = static_cast<uint8_t>(kind_);
  record.truncated = is_truncated_ ? 1 : 0;
  record.frame_count = frame_count_;
  record.string_count = string_count_;
  return record;
}

trace::Piece SiteDefinition::Frames() const {
  return trace::Piece::Raw(frames_, frame_count_ * sizeof(trace::SiteFrame));
}

trace::Piece SiteDefinition::Strings() const {
  return trace::Piece::Raw(strings_, string_bytes_);
}

bool SiteDefinition::Commit(uint32_t id) {
  return g_output.ring_file().definitions().Append(Record(id), Frames(),
                                                   Strings());
}

void SiteDefinition::Write(uint32_t id) const {
  WriteRecord(trace::BlockKind::kDefinitions, Record(id), Frames(), Strings());
}

}  // namespace dltap::shim

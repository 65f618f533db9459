// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ENTRY_SITE_DEFINITION_H_
#define DLTAP_SHIM_TAP_ENTRY_SITE_DEFINITION_H_

#include <cstdint>

#include "shim/trace/definition_records.h"
#include "shim/trace/encoder.h"

namespace dltap::shim {

// A Site record in the making. Too large for a stack: lies in a Scratch.
class SiteDefinition {
 public:
  static constexpr int kMostFrames = 64;

  void Begin(trace::SiteKind kind);
  bool IsFull() const { return frame_count_ == kMostFrames; }
  void Add(const trace::SiteFrame& frame) { frames_[frame_count_++] = frame; }
  // The path goes on beyond what is known of it.
  void MarkTruncated() { is_truncated_ = true; }

  // Number of a string in the record, 0 when there is no room. Equal ones have
  // one number.
  uint16_t String(const char* text, uint32_t bytes);

  // An id that no other one of the process has.
  static uint32_t NextId();

  // Commits the record under that id. False: no room, counted.
  bool Commit(uint32_t id);
  // The same on the collector, before records that name it.
  void Write(uint32_t id) const;

 private:
  trace::SiteRecord Record(uint32_t id) const;
  trace::Piece Frames() const;
  trace::Piece Strings() const;

  static constexpr uint32_t kMostStrings = 160;
  static constexpr uint32_t kStringBytes = 14 << 10;

  trace::SiteKind kind_;
  bool is_truncated_;
  uint16_t frame_count_;
  uint16_t string_count_;
  uint32_t string_bytes_;
  uint16_t starts_[kMostStrings];  // of each string's length
  trace::SiteFrame frames_[kMostFrames];
  uint8_t strings_[kStringBytes];
};

}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_ENTRY_SITE_DEFINITION_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_READER_TEXT_TEXT_WORDS_H_
#define DLTAP_ANALYZER_READER_TEXT_TEXT_WORDS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "analyzer/model/trace_model.h"

// Words of the text grammar that stand for the model's enumerators.
namespace dltap::analyzer {

// Set in ticks that text names by their number, since no call has them. Those
// of the calls count from the text's own times and could become equal.
inline constexpr uint64_t kRawTicks = uint64_t{1} << 63;

// Position is the enumerator's number.
inline constexpr auto kCopyWords = [] {
  std::array<std::string_view, specs::Words<CopyKind>::kCount> words;
  for (size_t i = 0; i < words.size(); ++i) {
    words[i] = specs::Words<CopyKind>::kTexts[i];
  }
  return words;
}();
inline constexpr std::array<std::string_view, 6> kMemoryWords = {
    "unknown", "pageable", "pinned", "device", "array", "managed"};
inline constexpr std::array<std::string_view, 6> kRangeWords = {
    "nvtx", "step", "op", "user", "python", "dataloader"};
inline constexpr std::array<std::string_view, 4> kCauseWords = {
    "after_watermark", "yielded", "dropped", "recording_off"};
inline constexpr std::array<std::string_view, 2> kClockWords = {"measured",
                                                                "fixed_costs"};
inline constexpr std::array<std::string_view, 3> kSiteWords = {"none", "native",
                                                               "python"};
inline constexpr std::array<std::string_view, 5> kSyncWords = {
    "unknown", "event", "stream_wait", "stream", "context"};

// Keys that a `call` line has for itself, and what arguments of these names
// begin with.
inline constexpr std::array<std::string_view, 6> kCallKeys = {
    "t", "thread", "depth", "corr", "launches", "site"};
inline constexpr std::string_view kArgPrefix = "arg.";

static_assert(static_cast<int>(MemoryKind::kManaged) == 5);
static_assert(static_cast<int>(RangeKind::kDataLoader) == 5);
static_assert(static_cast<int>(NotObservedCause::kRecordingOff) == 3);
static_assert(static_cast<int>(SyncKind::kContext) == 4);

template <typename Enum, size_t kCount>
std::optional<Enum> FromWord(const std::array<std::string_view, kCount>& words,
                             std::string_view word) {
  for (size_t i = 0; i < kCount; ++i) {
    if (words[i] == word) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

template <typename Enum, size_t kCount>
std::string_view ToWord(const std::array<std::string_view, kCount>& words,
                        Enum value) {
  const auto i = static_cast<size_t>(value);
  return i < kCount ? words[i] : words[0];
}

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_READER_TEXT_TEXT_WORDS_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_UNIT_SHIM_TAP_ACTIVITY_CUPTI_FAKE_RUNTIME_H_
#define DLTAP_TESTS_UNIT_SHIM_TAP_ACTIVITY_CUPTI_FAKE_RUNTIME_H_

#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "shim/tap/activity/source.h"
#include "tests/unit/shim/tap/activity/cupti/fake_cupti.h"

namespace dltap::shim::cupti {

// A runtime that keeps the records it is given.
class FakeRuntime {
 public:
  FakeRuntime() { current() = this; }

  SourceRuntime runtime() const {
    return {
        .session = [] { return current()->session; },
        .recording = [] { return current()->recording; },
        .is_injected = [] { return current()->is_injected; },
        .real = &FakeCupti::Real,
        .current_call =
            [](uint32_t* thread, uint64_t* begin_ticks) {
              *thread = 3;
              *begin_ticks = current()->open_call;
              return true;
            },
        .launched =
            [](uint64_t correlation) {
              current()->launches.push_back(correlation);
            },
        .set_pushing = [](bool on) { current()->pushing = on; },
        .lost = [](trace::LossKind loss,
                   uint64_t count) { current()->losses[loss] += count; },
        .monotonic_ns =
            [] {
              if (const auto meanwhile =
                      std::exchange(current()->while_time_is_read, nullptr)) {
                meanwhile();
              }
              return current()->now_ns;
            },
        .wake = [] { ++current()->wakes; },
        .append = [](trace::BlockKind, const uint8_t* records,
                     uint32_t bytes) { current()->Keep(records, bytes); },
        .define =
            [](const uint8_t* record, uint32_t bytes) {
              current()->Keep(record, bytes);
              return true;
            },
        .text =
            [](const char* text, uint32_t bytes) {
              auto& texts = current()->texts;
              texts.emplace_back(text, bytes);
              return static_cast<uint32_t>(texts.size());
            },
        .submissions = [] { return current()->submissions; },
        .thread_index = [](uint32_t id) { return id - 1000; },
        .level =
            [](trace::Level level, const char* why) {
              current()->level = level;
              current()->why = why;
            },
    };
  }

  // All records of one kind, in order.
  template <typename Record>
  std::vector<Record> All() const {
    std::vector<Record> found;
    for (const std::vector<uint8_t>& bytes : records) {
      trace::RecordHeader header;
      memcpy(&header, bytes.data(), sizeof(header));
      if (header.kind != static_cast<uint16_t>(Record::kKind)) continue;
      Record& record = found.emplace_back();
      memcpy(&record, bytes.data(), sizeof(record));
    }
    return found;
  }

  uint32_t session = 1;
  uint64_t open_call = 0;
  std::vector<uint64_t> launches;  // correlation ids that were told of
  uint64_t submissions = 0;
  uint64_t now_ns = 1'000'000'000;
  // What other threads do the next time that somebody looks at the clock.
  std::function<void()> while_time_is_read;
  bool pushing = false;
  bool recording = true;
  bool is_injected = false;
  int wakes = 0;
  trace::Level level = trace::Level::kOff;
  std::string why;
  std::map<trace::LossKind, uint64_t> losses;
  std::vector<std::string> texts;
  std::vector<std::vector<uint8_t>> records;

 private:
  static FakeRuntime*& current() {
    static FakeRuntime* runtime = nullptr;
    return runtime;
  }

  void Keep(const uint8_t* at, uint32_t bytes) {
    for (const uint8_t* end = at + bytes; at < end;) {
      trace::RecordHeader header;
      memcpy(&header, at, sizeof(header));
      records.emplace_back(at, at + header.bytes);
      at += header.bytes;
    }
  }
};

}  // namespace dltap::shim::cupti

#endif  // DLTAP_TESTS_UNIT_SHIM_TAP_ACTIVITY_CUPTI_FAKE_RUNTIME_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ACTIVITY_CUPTI_ACTIVITY_READER_H_
#define DLTAP_SHIM_TAP_ACTIVITY_CUPTI_ACTIVITY_READER_H_

#include <array>
#include <cstdint>
#include <span>

#include "shim/tap/activity/cupti/activity_clock.h"
#include "shim/tap/activity/cupti/activity_view.h"
#include "shim/tap/activity/cupti/buffer_pool.h"
#include "shim/tap/activity/cupti/cupti_api.h"
#include "shim/tap/activity/cupti/external_table.h"
#include "shim/tap/activity/cupti/id_table.h"
#include "shim/tap/activity/source.h"
#include "shim/trace/encoder.h"

namespace dltap::shim::cupti {

// Turns CUPTI's activity buffers into records of the trace: names, kernel
// variants and streams become definitions, correlation ids are widened, records
// without times are left out and counted. Collector only.
class ActivityReader {
 public:
  // Begins a session: nothing is defined yet.
  void Begin(const CuptiApi* api, const SourceRuntime* runtime,
             uint32_t cupti_version);

  // The same in its middle; ids are not given out again.
  void Forget();

  // Reads buffers in the order of their delivery. `clock` maps their times.
  void Read(std::span<const BufferPool::Buffer> buffers,
            const ActivityClock& clock);

  // Any record for an activity block: graph nodes, for instance.
  template <typename Record, typename... Pieces>
  void Write(const Record& record, const Pieces&... pieces) {
    if (records_.Append(record, pieces...)) return;
    Flush();
    records_.Append(record, pieces...);
  }
  void Flush();

  uint64_t newest_correlation() const { return last_correlation_; }
  uint64_t kernels() const { return kernels_; }
  uint64_t api_calls() const { return api_calls_; }
  uint64_t external_ids() const { return external_ids_; }

 private:
  static constexpr uint32_t kScratchBytes = 64u << 10;
  struct StreamKey {
    uint32_t device, context, stream;
  };

  template <typename Function>
  void ForEachRecord(const BufferPool::Buffer& buffer, Function function);
  void ReadOne(const void* record);
  void AddKernel(const KernelView& kernel);
  void AddCopy(const CopyView& copy);
  void AddMemset(const MemsetView& memset);
  void AddApi(const ApiView& api, uint8_t domain);

  // Maps both times; false when the record cannot be used.
  bool Times(uint64_t start, uint64_t end, uint64_t* start_ns,
             uint64_t* duration_ns);
  uint64_t Widen(uint32_t correlation);
  uint32_t NameId(const char* name);
  uint32_t VariantId(const KernelView& kernel);
  uint32_t StreamId(const StreamKey& key);
  template <typename Record>
  bool Define(const Record& record);
  template <typename Record>
  void WriteTimed(Record record, uint64_t duration_ns);
  template <typename Record>
  bool IsRepeated(const Record& record, uint64_t duration_ns);

  const CuptiApi* api_ = nullptr;
  const SourceRuntime* runtime_ = nullptr;
  const ActivityClock* clock_ = nullptr;
  ActivitySizes sizes_{};
  uint64_t last_correlation_ = 0;
  uint32_t next_variant_ = 0;
  uint32_t next_stream_ = 0;
  uint64_t kernels_ = 0;
  uint64_t api_calls_ = 0;
  uint64_t external_ids_ = 0;
  IdTable<1u << 16> names_;
  IdTable<1u << 17> variants_;
  IdTable<1u << 12> streams_;
  ExternalTable externals_;
  std::array<uint64_t, 1u << 12> recent_{};  // hashes of what was written
  std::array<uint8_t, kScratchBytes> scratch_{};
  trace::RecordBuffer records_{nullptr, 0};  // of scratch_, once begun
};

}  // namespace dltap::shim::cupti

#endif  // DLTAP_SHIM_TAP_ACTIVITY_CUPTI_ACTIVITY_READER_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_UNIT_SHIM_TAP_ACTIVITY_CUPTI_FAKE_CUPTI_H_
#define DLTAP_TESTS_UNIT_SHIM_TAP_ACTIVITY_CUPTI_FAKE_CUPTI_H_

#include <cuda.h>
#include <cupti.h>

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace dltap::shim::cupti {

// A CUPTI whose records are made by hand: it keeps one buffer of the registered
// client and delivers it when flushed. One per process at a time.
class FakeCupti {
 public:
  explicit FakeCupti(uint32_t version = 130001);
  ~FakeCupti();

  // The function of that name; nullptr for those in `missing`.
  static void* Real(const char* name);

  // ---- What the device did. Records are made only of kinds that are on.
  // An API call on thread `thread`, with the external ids pushed now. The
  // subscriber is told of it, too.
  void Call(uint32_t correlation, uint64_t start, uint64_t end, uint32_t thread,
            uint32_t cbid = 211);
  void Kernel(const char* name, uint32_t correlation, uint64_t start,
              uint64_t end, uint64_t graph_node = 0, uint32_t graph = 0);
  void Memcpy(uint32_t correlation, uint64_t start, uint64_t end,
              uint64_t bytes);
  void Memset(uint32_t correlation, uint64_t start, uint64_t end,
              uint64_t bytes);
  // Bytes that are no record.
  void Garbage();

  // ---- Graphs: what the subscriber is told.
  void NodeCreated(uint64_t node, uint32_t graph);
  void NodeCloned(uint64_t original, uint64_t node, uint32_t graph);

  // ---- Settings
  uint32_t version;
  uint64_t now = 1'000'000;
  bool timestamp_follows_callback = false;
  bool busy_subscriber = false;  // another client subscribed first
  size_t dropped = 0;
  std::set<std::string> missing;
  std::map<std::string, CUptiResult> failing;  // function -> its result
  std::function<void()> on_flush;  // called before anything is delivered
  std::function<void(const std::string&)> on_call;  // with its function

  // ---- State
  std::set<int> kinds;
  std::set<uint32_t> runtime_on;   // callback ids beside the kind
  std::set<uint32_t> runtime_off;  // and less the kind
  std::set<uint32_t> driver_off;
  std::vector<uint32_t> flushes;       // flags
  std::map<int, uint64_t> attributes;  // that were set
  bool limited_first = false;          // before the first kind was on
  int finalized = 0;
  bool subscribed = false;
  bool is_mute = false;  // callbacks are taken, and never made
  CUpti_ActivityThreadIdType thread_id_type =
      CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT;
  CUpti_BuffersCallbackRequestFunc requested = nullptr;
  CUpti_BuffersCallbackCompleteFunc completed = nullptr;
  CUpti_TimestampCallbackFunc timestamp_callback = nullptr;
  std::vector<uint64_t> external_ids;  // pushed with CUSTOM2

  // cuptiActivityEnableRuntimeApi of any client.
  void SetRuntimeId(uint32_t id, bool on);

  // Asks for a buffer before there is anything to put into it.
  void HoldBuffer();
  // Delivers what there is.
  void Flush(uint32_t flags);

 private:
  friend struct FakeCuptiFunctions;
  void ForgetIds(int kind);
  void Append(const void* record, size_t bytes);
  size_t SizeOf(const CUpti_Activity* record) const;

  uint8_t* buffer_ = nullptr;
  size_t buffer_bytes_ = 0;
  size_t used_ = 0;
  std::deque<std::string> names_;  // of kernels, at stable addresses
  CUpti_CallbackFunc callback_ = nullptr;
  void* callback_data_ = nullptr;
  using Callback = std::pair<CUpti_CallbackDomain, CUpti_CallbackId>;
  std::set<Callback> callbacks_on_;
};

}  // namespace dltap::shim::cupti

#endif  // DLTAP_TESTS_UNIT_SHIM_TAP_ACTIVITY_CUPTI_FAKE_CUPTI_H_

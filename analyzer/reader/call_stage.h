// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_READER_CALL_STAGE_H_
#define DLTAP_ANALYZER_READER_CALL_STAGE_H_

#include <array>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/model/trace_model.h"
#include "analyzer/reader/chunk_list.h"
#include "analyzer/reader/definitions.h"
#include "analyzer/reader/timeline.h"

namespace dltap::analyzer {

// Turns the slots of a process into calls and ranges. Chunks and function
// names come in the order of the file.
//
// Keeps references to its arguments, which must outlive it; `definitions` and
// `timeline` must be complete. A call of an unknown entry point keeps its times
// under a placeholder; an unknown special slot is counted (kUnknownRecord). A
// call that ends before it begins has no length.
class CallStage {
 public:
  CallStage(Process& process, Definitions& definitions,
            const Timeline& timeline, LossCounts& losses)
      : process_(process),
        definitions_(definitions),
        timeline_(timeline),
        losses_(losses) {}

  // Makes room for a chunk's calls. Room that is not used costs no memory, only
  // addresses.
  void Expect(const Chunk& chunk);
  // False: the chunk ends in a record that makes no sense, or belongs to no
  // thread. What came before stays.
  bool Read(const Chunk& chunk);
  void NameFunction(const trace::RecordView& record);
  // Hands the calls over and closes the ranges that are still open.
  void Finish();

  // For a survey of all chunks, before they are read again: ranges that lie
  // within one chunk are forgotten, and Survey shows and forgets the calls.
  void StartSurvey() { ranges_kept_ = Keep::kLong; }
  template <typename Visit>
  void Survey(Visit visit);
  // Starts anew, to read any of the chunks again. What a survey kept of the
  // ranges is not read again.
  void Reread();

  size_t named_functions() const { return named_functions_; }

  // (ns, recording from here on) of every window slot, as they came.
  const std::vector<std::pair<int64_t, bool>>& windows() const {
    return windows_;
  }

 private:
  struct OpenRange {
    int64_t begin_ns;
    ThreadId thread;
    TextId name;
    TextId domain;
    size_t chunk = 0;
    bool is_simulations = false;  // a mark of the simulated GPU
    TextId detail = {};
  };
  enum class Keep : uint8_t { kAll, kLong, kWithinChunks };

  void MakeRoom(ThreadId thread, uint32_t thread_index);
  void AddCall(ThreadId thread, const trace::CallView& call);
  void ReadPayload(const trace::CallView& view, const EntryLayout& layout,
                   Call& call);
  void InsertInOrder(const Call& call);
  void NameUnnamed(Call& call) const;
  void AddSpecial(ThreadId thread, const trace::CallView& call);
  using Details =
      std::array<TextId, std::size(trace::NvtxDetailsPayload{}.details)>;
  void TakeDetails(ThreadId thread, const trace::CallView& call);
  void PushRange(ThreadId thread, const trace::CallView& call);
  void PopRange(ThreadId thread, const trace::CallView& call);
  void StartRange(ThreadId thread, const trace::CallView& call);
  void EndRange(const trace::CallView& call);
  void CloseRange(const OpenRange& range, int64_t end_ns);

  // The site of the thread's next outermost call, unless that got lost.
  struct NextSite {
    uint64_t ticks = 0;
    SiteId site;
  };
  void TakeSite(ThreadId thread, const trace::CallView& call);

  // What the thread's next call computes, if it launches that kernel.
  struct NextOperation {
    uint64_t ticks = 0;
    uint64_t kernel = 0;
    OperationId operation;
  };
  void TakeOperation(ThreadId thread, const EntryLayout& layout,
                     const trace::CallView& view, Call& call);

  Process& process_;
  Definitions& definitions_;
  const Timeline& timeline_;
  LossCounts& losses_;
  int64_t last_ns_ = 0;
  // By thread, in the order that the model wants: by begin, parents first.
  std::vector<std::vector<Call>> calls_;
  absl::flat_hash_map<uint32_t, size_t> slots_of_;  // by thread index
  size_t slots_ = 0;
  absl::flat_hash_map<uint64_t, TextId> functions_;  // by handle
  absl::flat_hash_map<uint64_t, TextId> first_names_;
  // Where the payload has the handle, by entry point; -1: it has none.
  std::vector<int16_t> function_offsets_;
  // By thread and domain.
  absl::flat_hash_map<std::pair<size_t, uint32_t>, std::vector<OpenRange>>
      pushed_;
  absl::flat_hash_map<uint64_t, OpenRange> started_;  // by range id
  // Joined texts, by the texts. A survey meets all of them.
  absl::flat_hash_map<Details, TextId> details_;
  std::vector<std::pair<int64_t, bool>> windows_;
  size_t named_functions_ = 0;        // so far
  std::vector<NextSite> next_sites_;  // by thread; empty: no site was taken
  std::vector<NextOperation> next_operations_;  // the same
  // What is said of the thread's next push, if that has this text.
  struct NextDetail {
    uint32_t text = 0;
    TextId detail;
  };
  std::vector<NextDetail> next_details_;  // the same
  Keep ranges_kept_ = Keep::kAll;
  size_t chunk_ = 0;  // the one being read
};

template <typename Visit>
void CallStage::Survey(Visit visit) {
  for (std::vector<Call>& calls : calls_) {
    for (const Call& call : calls) visit(call);
    calls.clear();
  }
  process_.payloads.clear();
}

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_READER_CALL_STAGE_H_

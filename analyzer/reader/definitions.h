// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_READER_DEFINITIONS_H_
#define DLTAP_ANALYZER_READER_DEFINITIONS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "analyzer/model/trace_model.h"
#include "analyzer/reader/function_names.h"
#include "analyzer/reader/id_map.h"
#include "analyzer/reader/loss_counts.h"
#include "analyzer/reader/model_builder.h"
#include "shim/trace/decoder.h"

namespace dltap::analyzer {

// What a call record of an entry point means, worked out once.
struct EntryLayout {
  EntryPointId entry;
  int16_t operation_offset = -1;  // of the argument `operation`, u32
  int16_t function_offset = -1;   // launches: of the function handle, u64
  uint8_t payload_bytes = 0;
};

struct KernelVariant {
  TextId name;
  uint32_t shape;
};

struct StreamRef {
  DeviceId device;
  StreamId stream;
};

// The ids that one process's trace gave out. Records go in, in any order;
// look-ups work once all are in and Resolve() has run.
//
// Keeps references to its arguments, which must outlive it. An id that nothing
// defines gives a placeholder or no id, and is counted (kDanglingId). Not
// counted are 0 where it means none, devices and threads.
class Definitions {
 public:
  // `minor_version`: of the format that the writer followed.
  Definitions(ModelBuilder& builder, Process& process, LossCounts& losses,
              uint16_t minor_version)
      : builder_(builder),
        process_(process),
        losses_(losses),
        minor_version_(minor_version) {}

  // False: no definition, or one that holds only from its place in the file on.
  bool Add(const trace::RecordView& record);
  // Definitions that name others, once all are known.
  void Resolve();

  const EntryLayout& Entry(uint16_t id);
  TextId Text(uint32_t id);
  std::string_view TextOf(uint32_t id);
  // What is known of `texts` and not empty, each from a line of its own on.
  TextId Joined(std::span<const TextId> texts);
  OperationId Operation(uint32_t id);
  SiteId Site(uint32_t id);
  KernelVariant Variant(uint32_t id);
  StreamRef StreamOf(uint32_t id);
  // Placeholders for what no definition explains, so that the records stay.
  DeviceId DeviceOf(uint32_t ordinal);
  ThreadId ThreadOf(uint32_t index);

  const trace::ClockRecord& clock() const { return clock_; }

 private:
  void AddProcess(const trace::RecordView& record);
  void AddEntryPoint(const trace::RecordView& record);
  void AddText(const trace::RecordView& record);
  void AddVariant(const trace::RecordView& record);
  void AddDevice(const trace::RecordView& record);
  void AddThread(const trace::RecordView& record);
  void AddOperation(const trace::RecordView& record);
  void AddVersions(const trace::RecordView& record);  // of version 1.0
  void AddLibraries(const trace::RecordView& record);
  void AddCommand(const trace::RecordView& record);
  void AddSite(const trace::RecordView& record);
  void AddSiteMode(const trace::RecordView& record);
  KernelVariant Resolve(const trace::KernelVariantRecord& variant);

  ModelBuilder& builder_;
  Process& process_;
  LossCounts& losses_;
  uint16_t minor_version_;
  trace::ClockRecord clock_ = {};
  IdMap<EntryLayout> entries_;
  IdMap<TextId> texts_;
  IdMap<trace::KernelVariantRecord> variant_records_;
  std::vector<uint32_t> variant_ids_;
  IdMap<KernelVariant> variants_;
  IdMap<trace::StreamRecord> stream_records_;
  std::vector<uint32_t> stream_ids_;
  IdMap<StreamRef> streams_;
  IdMap<DeviceId> devices_;
  IdMap<ThreadId> threads_;
  IdMap<OperationId> operations_;
  IdMap<SiteId> sites_;
  FunctionNames function_names_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_READER_DEFINITIONS_H_

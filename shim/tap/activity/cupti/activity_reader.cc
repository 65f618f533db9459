// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/activity/cupti/activity_reader.h"

#include <cstring>

#include "shim/tap/activity/cupti/launch_cbids.h"

namespace dltap::shim::cupti {

using trace::LossKind;

// Of a kernel. Generated templates reach 10 KiB.
constexpr size_t kMaxNameBytes = 16u << 10;

void ActivityReader::Begin(const CuptiApi* api, const SourceRuntime* runtime,
                           uint32_t cupti_version) {
  api_ = api;
  runtime_ = runtime;
  sizes_ = SizesOf(cupti_version);
  Forget();
  externals_.Clear();
  recent_.fill(0);
  last_correlation_ = 0;
  next_variant_ = next_stream_ = 0;
  kernels_ = api_calls_ = external_ids_ = 0;
  records_ = trace::RecordBuffer(scratch_.data(), kScratchBytes);
}

void ActivityReader::Forget() {
  names_.Clear();
  variants_.Clear();
  streams_.Clear();
}

void ActivityReader::Flush() {
  if (records_.empty()) return;
  runtime_->append(trace::BlockKind::kActivities, records_.data(),
                   static_cast<uint32_t>(records_.size()));
  records_.Clear();
}

template <typename Function>
void ActivityReader::ForEachRecord(const BufferPool::Buffer& buffer,
                                   Function function) {
  CUpti_Activity* record = nullptr;
  while (buffer.valid_bytes > 0) {
    const CUptiResult result = api_->activity_get_next_record(
        buffer.data, buffer.valid_bytes, &record);
    if (result == CUPTI_ERROR_MAX_LIMIT_REACHED) return;
    if (result != CUPTI_SUCCESS) {
      runtime_->lost(LossKind::kBadActivity, 1);
      return;
    }
    function(record);
  }
}

void ActivityReader::Read(std::span<const BufferPool::Buffer> buffers,
                          const ActivityClock& clock) {
  clock_ = &clock;
  // External ids first: the API records that they belong to may lie in any of
  // the buffers.
  for (const BufferPool::Buffer& buffer : buffers) {
    ForEachRecord(buffer, [this](const void* record) {
      if (KindOf(record) != ActivityKind::kExternalCorrelation) return;
      const ExternalView external = ReadExternal(record);
      if (external.kind != CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM2) return;
      externals_.Add(external.correlation, external.id);
      ++external_ids_;
    });
  }
  for (const BufferPool::Buffer& buffer : buffers) {
    ForEachRecord(buffer, [this](const void* record) { ReadOne(record); });
  }
}

void ActivityReader::ReadOne(const void* record) {
  switch (KindOf(record)) {
    case ActivityKind::kKernel:
    case ActivityKind::kConcurrentKernel:
      AddKernel(ReadKernel(record, sizes_));
      break;
    case ActivityKind::kMemcpy: AddCopy(ReadCopy(record, sizes_)); break;
    case ActivityKind::kPeerCopy: AddCopy(ReadPeerCopy(record, sizes_)); break;
    case ActivityKind::kMemset: AddMemset(ReadMemset(record, sizes_)); break;
    case ActivityKind::kDriverApi: AddApi(ReadApi(record), 1); break;
    case ActivityKind::kRuntimeApi: AddApi(ReadApi(record), 2); break;
    default: break;  // a kind that another client has enabled
  }
}

bool ActivityReader::Times(uint64_t start, uint64_t end, uint64_t* start_ns,
                           uint64_t* duration_ns) {
  // Records of kernels that were cut off, or that CUPTI lost track of, come
  // with a zero time; a few with an end before their start.
  if (start == 0 || end == 0 || end < start) {
    runtime_->lost(LossKind::kZeroTimestamp, 1);
    return false;
  }
  *start_ns = clock_->ToCupti(start);
  const uint64_t end_ns = clock_->ToCupti(end);
  *duration_ns = end_ns > *start_ns ? end_ns - *start_ns : 0;
  return true;
}

uint64_t ActivityReader::Widen(uint32_t correlation) {
  const uint64_t wide = WidenCorrelation(correlation, last_correlation_);
  if (wide > last_correlation_) last_correlation_ = wide;
  return wide;
}

template <typename Record>
bool ActivityReader::Define(const Record& record) {
  uint8_t bytes[sizeof(Record) + 8];
  trace::RecordBuffer buffer(bytes, sizeof(bytes));
  return buffer.Append(record) &&
         runtime_->define(buffer.data(), static_cast<uint32_t>(buffer.size()));
}

uint32_t ActivityReader::NameId(const char* name) {
  if (name == nullptr) return 0;
  const size_t bytes = strlen(name);
  uint32_t& id = names_.At(HashBytes(name, bytes));
  if (id != 0) return id;
  if (bytes > kMaxNameBytes) runtime_->lost(LossKind::kTextTruncated, 1);
  id = runtime_->text(name, static_cast<uint32_t>(
                                bytes < kMaxNameBytes ? bytes : kMaxNameBytes));
  return id;
}

uint32_t ActivityReader::VariantId(const KernelView& kernel) {
  trace::KernelVariantRecord variant{};
  variant.text = NameId(kernel.name);
  memcpy(variant.grid, kernel.grid.data(), sizeof(variant.grid));
  memcpy(variant.block, kernel.block.data(), sizeof(variant.block));
  memcpy(variant.cluster, kernel.cluster.data(), sizeof(variant.cluster));
  variant.static_shared_bytes = kernel.static_shared;
  variant.dynamic_shared_bytes = kernel.dynamic_shared;
  variant.local_bytes_per_thread = kernel.local_per_thread;
  variant.registers_per_thread = kernel.registers;
  uint32_t& id = variants_.At(HashBytes(&variant, sizeof(variant)));
  if (id == 0) {
    variant.id = next_variant_ + 1;
    if (Define(variant)) id = ++next_variant_;
  }
  return id;
}

uint32_t ActivityReader::StreamId(const StreamKey& key) {
  uint32_t& id = streams_.At(HashBytes(&key, sizeof(key)));
  if (id == 0) {
    trace::StreamRecord stream{};
    stream.id = next_stream_ + 1;
    stream.device = key.device;
    stream.context = key.context;
    stream.stream = key.stream;
    if (Define(stream)) id = ++next_stream_;
  }
  return id;
}

// No two pieces of work agree in all of correlation id, node, stream, start and
// duration: such a record was delivered twice, which happens close together.
template <typename Record>
bool ActivityReader::IsRepeated(const Record& record, uint64_t duration_ns) {
  const uint64_t hash = HashBytes(&record, sizeof(record)) ^ duration_ns;
  uint64_t& last = recent_[hash % recent_.size()];
  if (last == hash) return true;
  last = hash;
  return false;
}

// Durations of 32 bits reach 4.29 s; longer ones follow the struct.
template <typename Record>
void ActivityReader::WriteTimed(Record record, uint64_t duration_ns) {
  if (IsRepeated(record, duration_ns)) {
    runtime_->lost(LossKind::kBadActivity, 1);
    return;
  }
  if (duration_ns < trace::kDurationEscape) {
    record.duration_ns = static_cast<uint32_t>(duration_ns);
    Write(record);
  } else {
    record.duration_ns = trace::kDurationEscape;
    Write(record, trace::Piece::Raw(&duration_ns, sizeof(duration_ns)));
  }
}

void ActivityReader::AddKernel(const KernelView& kernel) {
  ++kernels_;
  trace::KernelRecord record{};
  uint64_t duration_ns = 0;
  if (!Times(kernel.start_ns, kernel.end_ns, &record.start_ns, &duration_ns)) {
    return;
  }
  record.correlation = Widen(kernel.correlation);
  record.graph_node = kernel.graph_node;
  record.graph = kernel.graph;
  record.variant = VariantId(kernel);
  record.stream = StreamId({kernel.device, kernel.context, kernel.stream});
  WriteTimed(record, duration_ns);
}

void ActivityReader::AddCopy(const CopyView& copy) {
  trace::MemcpyRecord record{};
  uint64_t duration_ns = 0;
  if (!Times(copy.start_ns, copy.end_ns, &record.start_ns, &duration_ns)) {
    return;
  }
  record.correlation = Widen(copy.correlation);
  record.graph_node = copy.graph_node;
  record.graph = copy.graph;
  record.stream = StreamId({copy.device, copy.context, copy.stream});
  record.copy_kind = copy.copy_kind;
  record.source = copy.source;
  record.target = copy.target;
  record.is_async = copy.is_async;
  record.bytes = copy.bytes;
  record.source_device = copy.source_device;
  record.target_device = copy.target_device;
  WriteTimed(record, duration_ns);
}

void ActivityReader::AddMemset(const MemsetView& memset) {
  trace::MemsetRecord record{};
  uint64_t duration_ns = 0;
  if (!Times(memset.start_ns, memset.end_ns, &record.start_ns, &duration_ns)) {
    return;
  }
  record.correlation = Widen(memset.correlation);
  record.graph_node = memset.graph_node;
  record.graph = memset.graph;
  record.stream = StreamId({memset.device, memset.context, memset.stream});
  record.memory_kind = memset.memory_kind;
  record.is_async = memset.is_async;
  record.bytes = memset.bytes;
  record.value = memset.value;
  WriteTimed(record, duration_ns);
}

void ActivityReader::AddApi(const ApiView& api, uint8_t domain) {
  const bool launches = domain == 1 ? Contains(kDriverLaunches, api.cbid)
                                    : Contains(kRuntimeLaunches, api.cbid);
  if (!launches) return;
  ++api_calls_;
  trace::LaunchApiRecord record{};
  uint64_t duration_ns = 0;
  if (!Times(api.start_ns, api.end_ns, &record.start_ns, &duration_ns)) {
    return;
  }
  record.external = externals_.Get(api.correlation);
  record.correlation = Widen(api.correlation);
  record.thread = runtime_->thread_index(api.thread);
  record.api = api.cbid;
  record.domain = domain;
  WriteTimed(record, duration_ns);
}

}  // namespace dltap::shim::cupti

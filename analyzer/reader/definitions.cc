// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/definitions.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "analyzer/model/rank_variables.h"
#include "analyzer/reader/argument_meanings.h"
#include "analyzer/reader/hex_text.h"
#include "shim/specs/words.h"
#include "shim/trace/frameworks.h"

namespace dltap::analyzer {
namespace {

constexpr uint32_t kMaxCpus = 1 << 20;

using trace::RecordKind;
using trace::RecordView;
using trace::TailReader;

std::string NextString(TailReader& tail) {
  std::string_view text;
  return tail.String(&text) ? std::string(text) : std::string();
}

// A kind of a newer writer is bytes.
ArgKind KindOf(uint8_t kind) {
  const bool is_known = kind != 0 && kind < specs::Words<ArgKind>::kCount;
  return is_known ? static_cast<ArgKind>(kind) : ArgKind::kBytes;
}

bool IsFramework(std::string_view library) {
  return std::ranges::any_of(trace::kFrameworks, [&](const auto& framework) {
    return framework.name == library;
  });
}

// "torch 2.11.0"; several in a row.
void AddFramework(const LibraryVersion& version, std::string& frameworks) {
  if (!frameworks.empty()) frameworks += ", ";
  frameworks += version.library;
  if (!version.text.empty()) frameworks += " " + version.text;
}

// Offsets of the arguments that the reader itself follows.
void FindSpecialArgs(const EntryPoint& entry, EntryLayout& layout) {
  for (const ArgLayout& arg : entry.args) {
    if (arg.offset + arg.width > layout.payload_bytes) continue;
    if (arg.meaning == Meaning::kOperation && arg.width == 4) {
      layout.operation_offset = arg.offset;
    }
    if (arg.meaning == Meaning::kKernel && arg.width == 8) {
      layout.function_offset = arg.offset;
    }
  }
}

}  // namespace

bool Definitions::Add(const RecordView& record) {
  switch (record.kind()) {
    case RecordKind::kProcess: AddProcess(record); return true;
    case RecordKind::kClock:
      clock_ = record.As<trace::ClockRecord>();
      return true;
    case RecordKind::kEntryPoint: AddEntryPoint(record); return true;
    case RecordKind::kText: AddText(record); return true;
    case RecordKind::kKernelVariant: AddVariant(record); return true;
    case RecordKind::kDevice: AddDevice(record); return true;
    case RecordKind::kStream: {
      const auto stream = record.As<trace::StreamRecord>();
      if (stream_records_.Find(stream.id) == nullptr) {
        stream_ids_.push_back(stream.id);
      }
      stream_records_.Set(stream.id, stream);
      return true;
    }
    case RecordKind::kThread: AddThread(record); return true;
    case RecordKind::kOperation: AddOperation(record); return true;
    case RecordKind::kVersions: AddVersions(record); return true;
    case RecordKind::kLibraries: AddLibraries(record); return true;
    case RecordKind::kCommand: AddCommand(record); return true;
    case RecordKind::kSite: AddSite(record); return true;
    case RecordKind::kSiteMode: AddSiteMode(record); return true;
    case RecordKind::kStreamHandle:
    case RecordKind::kRingName: return true;
    default: return false;
  }
}

void Definitions::AddProcess(const RecordView& record) {
  TailReader tail = record.tail();
  const auto fixed = record.As<trace::ProcessRecord>();
  process_.pid = static_cast<int64_t>(fixed.pid);
  process_.cpus = static_cast<int>(std::min<uint32_t>(fixed.cpus, kMaxCpus));
  process_.host = NextString(tail);
  NextString(tail);  // boot id, also in the file's header
  process_.program = NextString(tail);
  NextString(tail);  // version of the tap
  const RankInfo rank = ParseRankVariables(NextString(tail));
  process_.rank = rank.rank;
  process_.world_size = rank.world_size;
}

void Definitions::AddEntryPoint(const RecordView& record) {
  const auto fixed = record.As<trace::EntryPointRecord>();
  TailReader tail = record.tail();
  EntryPoint entry;
  for (int i = 0; i < fixed.arg_count; ++i) {
    trace::ArgRecord arg;
    if (!tail.Read(&arg, sizeof(arg)))
      return losses_.Add(trace::LossKind::kDanglingId);
    entry.args.push_back({"", arg.offset, arg.width, KindOf(arg.kind),
                          static_cast<Meaning>(arg.meaning)});
  }
  entry.symbol = NextString(tail);
  entry.library = NextString(tail);
  for (ArgLayout& arg : entry.args) arg.name = NextString(tail);
  if (minor_version_ < kFirstWithMeanings) SetMeaningsByName(entry);
  EntryLayout layout;
  layout.payload_bytes =
      std::min<uint8_t>(fixed.payload_bytes, trace::kMaxCallPayloadBytes);
  layout.entry = builder_.AddEntryPoint(std::move(entry));
  FindSpecialArgs(builder_.model().entry_points[layout.entry.value()], layout);
  entries_.Set(fixed.id, layout);
}

void Definitions::AddText(const RecordView& record) {
  TailReader tail = record.tail();
  texts_.Set(record.As<trace::TextRecord>().id,
             builder_.model().texts.Intern(NextString(tail)));
}

void Definitions::AddVariant(const RecordView& record) {
  const auto variant = record.As<trace::KernelVariantRecord>();
  if (variant_records_.Find(variant.id) == nullptr) {
    variant_ids_.push_back(variant.id);
  }
  variant_records_.Set(variant.id, variant);
}

void Definitions::AddDevice(const RecordView& record) {
  const auto fixed = record.As<trace::DeviceRecord>();
  TailReader tail = record.tail();
  Device& device = process_.devices[DeviceOf(fixed.id).value()];
  device.name = NextString(tail);
  device.uuid = HexText(fixed.uuid);
  device.compute_major = fixed.compute_major;
  device.compute_minor = fixed.compute_minor;
  device.sms = static_cast<int>(fixed.sms);
  device.memory_bytes = static_cast<int64_t>(fixed.memory_bytes);
  // docs/design.md section 9: this prefix alone marks a simulated device.
  device.simulated = std::memcmp(fixed.uuid, "dltapsim", 8) == 0;
  builder_.model().simulated |= device.simulated;
}

void Definitions::AddThread(const RecordView& record) {
  const auto fixed = record.As<trace::ThreadRecord>();
  TailReader tail = record.tail();
  const ThreadId id = ThreadOf(fixed.index);
  if (!id.known()) return losses_.Add(trace::LossKind::kDanglingId);
  Thread& thread = process_.threads[id.value()];
  thread.tid = fixed.tid;
  // A thread that has already ended has no name any more.
  if (std::string name = NextString(tail); !name.empty()) {
    thread.name = std::move(name);
  }
}

void Definitions::AddOperation(const RecordView& record) {
  const auto fixed = record.As<trace::OperationRecord>();
  if (operations_.Find(fixed.id) != nullptr) return;
  TailReader tail = record.tail();
  OperationNodes nodes;
  for (uint32_t i = 0; i < fixed.node_count; ++i) {
    trace::OperationNode node;
    if (!tail.Read(&node, sizeof(node))) break;
    opmodel::Operation operation;
    operation.kind = static_cast<opmodel::OpKind>(node.kind);
    operation.cell = static_cast<opmodel::RnnCell>(node.cell);
    operation.storage = static_cast<opmodel::DType>(node.storage);
    operation.math = static_cast<opmodel::DType>(node.math);
    for (int d = 0; d < node.dim_count; ++d) {
      trace::DimRecord dim;
      if (!tail.Read(&dim, sizeof(dim))) break;
      if (dim.dim < operation.dims.size()) {
        operation.dims[dim.dim] = dim.value;
      }
    }
    nodes.push_back(operation);
  }
  operations_.Set(fixed.id, builder_.AddOperation(std::move(nodes)));
}

void Definitions::AddVersions(const RecordView& record) {
  const auto fixed = record.As<trace::VersionsRecord>();
  using specs::Library;
  const std::pair<Library, int32_t> versions[] = {
      {Library::kCuda, fixed.driver},   {Library::kCudart, fixed.runtime},
      {Library::kCublas, fixed.cublas}, {Library::kCublaslt, fixed.cublaslt},
      {Library::kCudnn, fixed.cudnn},   {Library::kNccl, fixed.nccl},
      {Library::kCupti, fixed.cupti},
  };
  process_.libraries.clear();
  for (const auto& [library, version] : versions) {
    if (version <= 0) continue;
    process_.libraries.push_back({std::string(specs::Name(library)),
                                  static_cast<uint64_t>(version), ""});
  }
  TailReader tail = record.tail();
  if (std::string framework = NextString(tail); !framework.empty()) {
    process_.framework = std::move(framework);
  }
}

void Definitions::AddLibraries(const RecordView& record) {
  const auto fixed = record.As<trace::LibrariesRecord>();
  TailReader tail = record.tail();
  process_.libraries.clear();
  process_.framework.clear();
  for (uint32_t i = 0; i < fixed.library_count; ++i) {
    LibraryVersion version;
    version.library = NextString(tail);
    if (!tail.Read(&version.number, sizeof(version.number))) break;
    version.text = NextString(tail);
    if (IsFramework(version.library)) {
      AddFramework(version, process_.framework);
    } else {
      process_.libraries.push_back(std::move(version));
    }
  }
}

// A title that the program gave itself leaves many zero bytes behind it.
void Definitions::AddCommand(const RecordView& record) {
  const auto fixed = record.As<trace::CommandRecord>();
  TailReader tail = record.tail();
  std::string_view bytes;
  if (!tail.String(&bytes)) return;
  process_.command_is_cut = fixed.whole_bytes > bytes.size();
  process_.command.clear();
  while (!bytes.empty()) {
    const size_t end = std::min(bytes.find('\0'), bytes.size());
    process_.command.emplace_back(bytes.substr(0, end));
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
  while (!process_.command.empty() && process_.command.back().empty()) {
    process_.command.pop_back();
  }
}

// Frames name strings by their number; a number without a string names none.
void Definitions::AddSite(const RecordView& record) {
  const auto fixed = record.As<trace::SiteRecord>();
  if (fixed.id == 0 || sites_.Find(fixed.id) != nullptr) return;
  TailReader tail = record.tail();
  std::vector<trace::SiteFrame> frames;
  for (int i = 0; i < fixed.frame_count; ++i) {
    trace::SiteFrame frame;
    if (!tail.Read(&frame, sizeof(frame))) break;
    frames.push_back(frame);
  }
  std::vector<std::string> strings(1);
  for (int i = 0; i < fixed.string_count; ++i) {
    strings.push_back(NextString(tail));
  }
  const auto text = [&strings](uint16_t number) {
    return number < strings.size() ? strings[number] : std::string();
  };
  LaunchSite site;
  const bool is_python =
      fixed.kind == static_cast<uint8_t>(trace::SiteKind::kPython);
  site.kind = is_python ? SiteKind::kPython : SiteKind::kNative;
  site.truncated = fixed.truncated != 0;
  for (const trace::SiteFrame& frame : frames) {
    site.frames.push_back({text(frame.name), text(frame.place),
                           text(frame.detail), frame.line, frame.address});
    SiteFrame& added = site.frames.back();
    if (is_python) continue;
    added.function =
        function_names_.At(added.place, added.detail, added.address);
  }
  sites_.Set(fixed.id, builder_.AddSite(site));
}

// The last one counts.
void Definitions::AddSiteMode(const RecordView& record) {
  const auto fixed = record.As<trace::SiteModeRecord>();
  const auto kind = [](uint8_t number) {
    return number <= static_cast<uint8_t>(SiteKind::kPython)
               ? static_cast<SiteKind>(number)
               : SiteKind::kNone;
  };
  TailReader tail = record.tail();
  process_.sites_wanted = kind(fixed.wanted);
  process_.sites_taken = kind(fixed.kind);
  process_.sites_reason = NextString(tail);
}

KernelVariant Definitions::Resolve(const trace::KernelVariantRecord& variant) {
  LaunchShape shape;
  std::copy(std::begin(variant.grid), std::end(variant.grid),
            shape.grid.begin());
  std::copy(std::begin(variant.block), std::end(variant.block),
            shape.block.begin());
  shape.static_shared_bytes = variant.static_shared_bytes;
  shape.dynamic_shared_bytes = variant.dynamic_shared_bytes;
  shape.registers_per_thread = variant.registers_per_thread;
  process_.launch_shapes.push_back(shape);
  return {Text(variant.text),
          static_cast<uint32_t>(process_.launch_shapes.size() - 1)};
}

void Definitions::Resolve() {
  for (const uint32_t id : variant_ids_) {
    variants_.Set(id, Resolve(*variant_records_.Find(id)));
  }
  for (const uint32_t id : stream_ids_) {
    const trace::StreamRecord& record = *stream_records_.Find(id);
    const DeviceId device = DeviceOf(record.device);
    streams_.Set(id, {device, StreamId(process_.streams.size())});
    process_.streams.push_back({device, record.stream, record.context});
  }
}

const EntryLayout& Definitions::Entry(uint16_t id) {
  if (const EntryLayout* layout = entries_.Find(id)) return *layout;
  EntryLayout unknown;
  unknown.entry = builder_.UnknownEntryPoint();
  if (id != 0) losses_.Add(trace::LossKind::kDanglingId);
  entries_.Set(id, unknown);
  return *entries_.Find(id);
}

TextId Definitions::Text(uint32_t id) {
  if (id == 0) return {};
  if (const TextId* text = texts_.Find(id)) return *text;
  losses_.Add(trace::LossKind::kDanglingId);
  return {};
}

std::string_view Definitions::TextOf(uint32_t id) {
  return builder_.model().texts[Text(id)];
}

TextId Definitions::Joined(std::span<const TextId> texts) {
  std::string joined;
  for (const TextId id : texts) {
    const std::string_view text = builder_.model().texts[id];
    if (text.empty()) continue;
    if (!joined.empty() && joined.back() != '\n') joined += '\n';
    joined += text;
  }
  return joined.empty() ? TextId{} : builder_.model().texts.Intern(joined);
}

OperationId Definitions::Operation(uint32_t id) {
  if (id == 0) return {};
  if (const OperationId* operation = operations_.Find(id)) return *operation;
  losses_.Add(trace::LossKind::kDanglingId);
  return {};
}

SiteId Definitions::Site(uint32_t id) {
  if (id == 0) return {};
  if (const SiteId* site = sites_.Find(id)) return *site;
  losses_.Add(trace::LossKind::kDanglingId);
  return {};
}

KernelVariant Definitions::Variant(uint32_t id) {
  if (const KernelVariant* variant = variants_.Find(id)) return *variant;
  if (id != 0) losses_.Add(trace::LossKind::kDanglingId);
  const KernelVariant unknown = Resolve(trace::KernelVariantRecord{});
  variants_.Set(id, unknown);
  return unknown;
}

StreamRef Definitions::StreamOf(uint32_t id) {
  if (const StreamRef* stream = streams_.Find(id)) return *stream;
  losses_.Add(trace::LossKind::kDanglingId);
  const StreamRef unknown = {DeviceOf(0), StreamId(process_.streams.size())};
  process_.streams.push_back({unknown.device, 0, 0});
  streams_.Set(id, unknown);
  return unknown;
}

DeviceId Definitions::DeviceOf(uint32_t ordinal) {
  if (const DeviceId* device = devices_.Find(ordinal)) return *device;
  const DeviceId added(process_.devices.size());
  process_.devices.emplace_back().ordinal = static_cast<int>(ordinal);
  devices_.Set(ordinal, added);
  return added;
}

ThreadId Definitions::ThreadOf(uint32_t index) {
  if (index == trace::kNoIndex) return {};
  if (const ThreadId* thread = threads_.Find(index)) return *thread;
  const ThreadId added(process_.threads.size());
  process_.threads.emplace_back();
  threads_.Set(index, added);
  return added;
}

}  // namespace dltap::analyzer

// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_ANALYZER_EXPORTERS_PERFETTO_PACKETS_H_
#define DLTAP_ANALYZER_EXPORTERS_PERFETTO_PACKETS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "analyzer/exporters/export_input.h"
#include "analyzer/exporters/perfetto.pb.h"

namespace dltap::analyzer {

// Names that are written once and then numbered.
class InternedNames {
 public:
  // Its number; the first time, the name goes to `field`.
  uint64_t Of(
      std::string_view name,
      google::protobuf::RepeatedPtrField<perfetto::InternedName>* field);

 private:
  absl::flat_hash_map<std::string, uint64_t> numbers_;
};

// Writes one sequence of packets.
class PerfettoPackets {
 public:
  explicit PerfettoPackets(const ByteSink& sink) : sink_(sink) {}
  ~PerfettoPackets() { Flush(); }
  PerfettoPackets(const PerfettoPackets&) = delete;
  PerfettoPackets& operator=(const PerfettoPackets&) = delete;

  // A new track, to be filled in; its uuid is set. 0: no parent.
  perfetto::TrackDescriptor* AddTrack(uint64_t parent = 0);
  // The event is valid until the next packet.
  perfetto::TrackEvent* AddEvent(perfetto::TrackEvent::Type type,
                                 uint64_t track, int64_t at_ns);

  // Of the event that was added last.
  void Name(std::string_view category, std::string_view name);
  void Annotate(std::string_view key, std::string_view value);
  void Annotate(std::string_view key, int64_t value);
  void Annotate(std::string_view key, uint64_t value);

 private:
  perfetto::TracePacket* AddPacket();
  perfetto::DebugAnnotation* AddAnnotation(std::string_view key);
  perfetto::InternedData* interned() { return last_->mutable_interned_data(); }
  void Flush();

  const ByteSink& sink_;
  perfetto::Trace batch_;
  perfetto::TracePacket* last_ = nullptr;
  bool is_first_ = true;
  uint64_t tracks_ = 0;
  InternedNames categories_;
  InternedNames names_;
  InternedNames keys_;
};

}  // namespace dltap::analyzer

#endif  // DLTAP_ANALYZER_EXPORTERS_PERFETTO_PACKETS_H_

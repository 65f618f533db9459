// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/perfetto_packets.h"

#include "analyzer/output/utf8.h"

namespace dltap::analyzer {
namespace {

// Of TracePacket.sequence_flags.
constexpr uint32_t kStateCleared = 1;
constexpr uint32_t kNeedsState = 2;

constexpr int kBatch = 512;  // packets

}  // namespace

uint64_t InternedNames::Of(
    std::string_view name,
    google::protobuf::RepeatedPtrField<perfetto::InternedName>* field) {
  const auto [it, is_new] =
      numbers_.try_emplace(std::string(name), numbers_.size() + 1);
  if (is_new) {
    perfetto::InternedName* const entry = field->Add();
    entry->set_iid(it->second);
    entry->set_name(ValidUtf8(name));
  }
  return it->second;
}

perfetto::TracePacket* PerfettoPackets::AddPacket() {
  if (batch_.packet_size() >= kBatch) Flush();
  last_ = batch_.add_packet();
  last_->set_trusted_packet_sequence_id(1);
  last_->set_sequence_flags(is_first_ ? kStateCleared | kNeedsState
                                      : kNeedsState);
  is_first_ = false;
  return last_;
}

void PerfettoPackets::Flush() {
  sink_(batch_.SerializeAsString());
  batch_.clear_packet();
}

perfetto::TrackDescriptor* PerfettoPackets::AddTrack(uint64_t parent) {
  perfetto::TrackDescriptor* const track =
      AddPacket()->mutable_track_descriptor();
  track->set_uuid(++tracks_);
  if (parent != 0) track->set_parent_uuid(parent);
  return track;
}

perfetto::TrackEvent* PerfettoPackets::AddEvent(perfetto::TrackEvent::Type type,
                                                uint64_t track, int64_t at_ns) {
  perfetto::TracePacket* const packet = AddPacket();
  packet->set_timestamp(static_cast<uint64_t>(at_ns));
  perfetto::TrackEvent* const event = packet->mutable_track_event();
  event->set_type(type);
  event->set_track_uuid(track);
  return event;
}

void PerfettoPackets::Name(std::string_view category, std::string_view name) {
  perfetto::TrackEvent* const event = last_->mutable_track_event();
  event->add_category_iids(
      categories_.Of(category, interned()->mutable_event_categories()));
  event->set_name_iid(names_.Of(name, interned()->mutable_event_names()));
}

perfetto::DebugAnnotation* PerfettoPackets::AddAnnotation(
    std::string_view key) {
  auto* const annotation =
      last_->mutable_track_event()->add_debug_annotations();
  annotation->set_name_iid(
      keys_.Of(key, interned()->mutable_debug_annotation_names()));
  return annotation;
}

void PerfettoPackets::Annotate(std::string_view key, std::string_view value) {
  AddAnnotation(key)->set_string_value(ValidUtf8(value));
}

void PerfettoPackets::Annotate(std::string_view key, int64_t value) {
  AddAnnotation(key)->set_int_value(value);
}

void PerfettoPackets::Annotate(std::string_view key, uint64_t value) {
  AddAnnotation(key)->set_uint_value(value);
}

}  // namespace dltap::analyzer

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/json_memory.h"

#include <string>

#include "analyzer/metrics/windows/step_choice.h"

namespace dltap::analyzer {
namespace {

std::string NameOf(const ProcessKey& process) {
  return process.host + ":" + std::to_string(process.pid);
}

void WriteText(std::string_view key, const std::string& text,
               JsonWriter& json) {
  json.Key(key);
  text.empty() ? json.Null() : json.Value(text);
}

void WriteUse(std::string_view key, std::optional<StepUse> use,
              JsonWriter& json) {
  json.Key(key);
  use ? json.Value(Name(*use)) : json.Null();
}

void WriteLevel(const MemoryLevel& level, JsonWriter& json) {
  json.BeginObject();
  json.Field("peak_bytes", level.peak_bytes);
  json.Field("peak_at_ns", level.peak_at_ns);
  json.Field("peak_step", level.peak_step);
  WriteUse("peak_step_use", level.peak_step_use, json);
  json.Key("peak_phase");
  level.peak_phase ? json.Value(Name(*level.peak_phase)) : json.Null();
  json.Field("end_bytes", level.end_bytes);
  json.Field("taken", level.taken);
  json.Field("given_back", level.given_back);
  json.EndObject();
}

void WriteMaybeLevel(std::string_view key,
                     const std::optional<MemoryLevel>& level,
                     JsonWriter& json) {
  json.Key(key);
  level ? WriteLevel(*level, json) : json.Null();
}

void WriteGrowth(const std::optional<MemoryGrowth>& growth, JsonWriter& json) {
  json.Key("growth");
  if (!growth) return json.Null();
  json.BeginObject();
  json.Field("step_bytes", growth->step_bytes);
  json.Key("ci95_bytes");
  if (growth->ci95_bytes) {
    json.BeginArray();
    for (const double bytes : *growth->ci95_bytes) json.Value(bytes);
    json.EndArray();
  } else {
    json.Null();
  }
  json.EndObject();
}

void WriteShares(const MemoryShares& shares, bool all_known, JsonWriter& json) {
  for (size_t i = 0; i < kMemoryOwners; ++i) {
    json.Key(std::string(Name(static_cast<MemoryOwner>(i))) + "_bytes");
    const bool is_known =
        i != static_cast<size_t>(MemoryOwner::kUnknown) || all_known;
    is_known ? json.Value(shares.bytes[i]) : json.Null();
  }
}

void WriteOwners(const DeviceMemoryFigures& device, JsonWriter& json) {
  json.Key("owners");
  if (!device.sums->owners) return json.Null();
  json.BeginObject();
  json.Field("at_ns", device.sums->owners->at_ns);
  json.Field("of_bytes", device.owned_of_bytes);
  json.Field("known_share", device.owner_known_share);
  WriteShares(*device.sums->owners, !device.sums->is_least, json);
  json.EndObject();
}

void WriteStepOwners(const DeviceMemory& device, JsonWriter& json) {
  json.Key("step_owners");
  if (!device.step_owners) return json.Null();
  json.BeginObject();
  json.Field("at_ns", device.step_owners->at_ns);
  WriteShares(*device.step_owners, /*all_known=*/false, json);
  json.EndObject();
}

void WriteBlocks(const std::vector<BlockGroup>& groups, JsonWriter& json) {
  json.Key("blocks");
  json.BeginArray();
  for (const BlockGroup& group : groups) {
    json.BeginObject();
    json.Field("block_bytes", group.block_bytes);
    json.Field("count", group.count);
    json.Field("first_at_ns", group.first_at_ns);
    json.Field("last_at_ns", group.last_at_ns);
    json.Field("first_step", group.first_step);
    json.Field("last_step", group.last_step);
    json.EndObject();
  }
  json.EndArray();
}

void WriteFailure(const MemoryFailure& failure, bool all_known,
                  JsonWriter& json) {
  json.BeginObject();
  json.Field("at_ns", failure.at_ns);
  json.Field("bytes", failure.bytes);
  json.Field("granted_later", failure.granted_later);
  json.Field("held_bytes", failure.held_bytes);
  json.Field("tensor_bytes", failure.tensor_bytes);
  json.Field("unused_bytes", failure.unused_bytes);
  json.Field("free_bytes", failure.free_bytes);
  json.Field("free_most_bytes", failure.free_most_bytes);
  WriteText("function", failure.function, json);
  json.Field("step", failure.step);
  WriteUse("step_use", failure.step_use, json);
  json.Key("phase");
  failure.phase ? json.Value(Name(*failure.phase)) : json.Null();
  json.Key("owners");
  if (failure.owners) {
    json.BeginObject();
    WriteShares(*failure.owners, all_known, json);
    json.EndObject();
  } else {
    json.Null();
  }
  WriteBlocks(failure.blocks, json);
  json.EndObject();
}

void WriteDevice(const DeviceMemoryFigures& device, JsonWriter& json) {
  const DeviceMemory& sums = *device.sums;
  json.BeginObject();
  json.Key("processes");
  json.BeginArray();
  for (const ProcessKey& process : sums.processes) json.Value(NameOf(process));
  json.EndArray();
  json.Field("ordinal", sums.ordinal);
  WriteText("name", sums.name, json);
  WriteText("uuid", sums.uuid, json);
  json.Key("capacity_bytes");
  sums.capacity_bytes > 0 ? json.Value(sums.capacity_bytes) : json.Null();
  json.Key("held");
  WriteLevel(sums.held, json);
  json.Field("is_least", sums.is_least);
  json.Field("peak_share", device.peak_share);
  json.Field("captured", sums.captured);
  WriteMaybeLevel("tensors", sums.tensors, json);
  WriteOwners(device, json);
  WriteStepOwners(sums, json);
  WriteBlocks(sums.blocks, json);
  WriteMaybeLevel("managed", sums.managed, json);
  WriteGrowth(device.growth, json);
  json.Key("failures");
  json.BeginArray();
  for (const MemoryFailure& failure : sums.failures) {
    WriteFailure(failure, !sums.is_least, json);
  }
  json.EndArray();
  json.EndObject();
}

}  // namespace

void WriteMemory(const MemoryFigures& memory, JsonWriter& json) {
  json.Key("memory");
  json.BeginObject();
  json.Key("devices");
  json.BeginArray();
  for (const DeviceMemoryFigures& device : memory.devices) {
    WriteDevice(device, json);
  }
  json.EndArray();
  json.Key("pinned");
  json.BeginArray();
  for (const PinnedMemory& pinned : memory.sums->pinned) {
    json.BeginObject();
    json.Field("process", NameOf(pinned.process));
    json.Key("held");
    WriteLevel(pinned.level, json);
    json.EndObject();
  }
  json.EndArray();
  json.Field("without_addresses", memory.sums->without_addresses);
  json.EndObject();
}

}  // namespace dltap::analyzer

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/text/text_builder.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "analyzer/reader/argument_meanings.h"
#include "shim/specs/entry_point.h"

namespace dltap::analyzer {
namespace {

constexpr size_t kArgBytes = 8;
constexpr size_t kMaxArgs = 31;  // ArgLayout::offset is 8 bits wide

}  // namespace

Process& TextBuilder::AddProcess() {
  streams_.clear();
  devices_.clear();
  open_depths_.emplace_back();
  Process& process = model_.processes.emplace_back();
  process.level = "kernels";
  return process;
}

Process& TextBuilder::process() {
  return model_.processes.empty() ? AddProcess() : model_.processes.back();
}

ThreadId TextBuilder::ThreadAt(uint64_t index) {
  std::vector<Thread>& threads = process().threads;
  while (threads.size() <= index) {
    threads.push_back({.tid = threads.size() + 1, .name = ""});
  }
  return ThreadId(index);
}

DeviceId TextBuilder::DeviceAt(int ordinal) {
  std::vector<Device>& devices = process().devices;
  const auto [it, added] = devices_.try_emplace(ordinal, devices.size());
  if (added) devices.emplace_back().ordinal = ordinal;
  return it->second;
}

StreamId TextBuilder::StreamAt(DeviceId device, uint64_t number,
                               uint32_t context) {
  std::vector<Stream>& streams = process().streams;
  const auto [it, added] =
      streams_.try_emplace({device.value(), number}, streams.size());
  if (added) streams.push_back({device, number, context});
  return it->second;
}

EntryPointId TextBuilder::EntryNamed(std::string_view symbol) {
  const auto found = entries_.find(symbol);
  if (found != entries_.end()) return found->second;
  const EntryPointId id(model_.entry_points.size());
  entries_.emplace(symbol, id);
  EntryPoint& entry = model_.entry_points.emplace_back();
  entry.symbol = symbol;
  entry.info = specs::FindEntryPoint(symbol);
  return id;
}

uint32_t TextBuilder::ShapeOf(const LaunchShape& shape) {
  std::vector<LaunchShape>& shapes = process().launch_shapes;
  shapes.push_back(shape);
  return static_cast<uint32_t>(shapes.size() - 1);
}

OperationId TextBuilder::OperationAt(uint64_t number) {
  if (number == 0) return {};
  if (model_.operations.size() < number) model_.operations.resize(number);
  return OperationId(number - 1);
}

size_t TextBuilder::ArgIndex(EntryPoint& entry, std::string_view name,
                             ArgKind kind) {
  for (size_t i = 0; i < entry.args.size(); ++i) {
    if (entry.args[i].name == name) return i;
  }
  entry.args.push_back(
      {.name = std::string(name),
       .offset = static_cast<uint8_t>(entry.args.size() * kArgBytes),
       .width = kArgBytes,
       .kind = kind,
       .meaning = MeaningByName(entry, name)});
  return entry.args.size() - 1;
}

bool TextBuilder::AddArg(Call& call, std::string_view name, ArgKind kind,
                         uint64_t bits) {
  const size_t arg =
      ArgIndex(model_.entry_points[call.entry.value()], name, kind);
  if (arg >= kMaxArgs) return false;
  std::vector<std::byte>& payloads = process().payloads;
  const size_t end = (arg + 1) * kArgBytes;
  if (end > call.payload_bytes) {
    call.payload_bytes = static_cast<uint8_t>(end);
    payloads.resize(call.payload_offset + end);
  }
  std::memcpy(&payloads[call.payload_offset + arg * kArgBytes], &bits,
              kArgBytes);
  return true;
}

void TextBuilder::LeaveDepthOpen() {
  std::vector<bool>& open = open_depths_.back();
  open.resize(process().calls.size());
  open.back() = true;
}

// A stack per thread of the calls still running at each call's begin.
void TextBuilder::SetDepths(Process& process, const std::vector<bool>& open) {
  std::vector<size_t> order(process.calls.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const std::vector<Call>& calls = process.calls;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return calls[a].begin_ns != calls[b].begin_ns
               ? calls[a].begin_ns < calls[b].begin_ns
               : calls[a].end_ns > calls[b].end_ns;
  });
  std::vector<std::vector<int64_t>> running(process.threads.size());
  for (const size_t i : order) {
    Call& call = process.calls[i];
    std::vector<int64_t>& ends = running[call.thread.value()];
    while (!ends.empty() && ends.back() <= call.begin_ns) ends.pop_back();
    if (i < open.size() && open[i]) {
      call.depth = static_cast<uint8_t>(std::min<size_t>(ends.size(), 15));
    }
    ends.push_back(call.end_ns);
  }
}

TraceModel TextBuilder::Finish() {
  process();
  for (size_t i = 0; i < model_.processes.size(); ++i) {
    Process& process = model_.processes[i];
    SetDepths(process, open_depths_[i]);
    process.has_cpu_samples = !process.cpu_samples.empty();
    for (const Device& device : process.devices) {
      model_.simulated |= device.simulated;
    }
  }
  Normalise(model_);
  return std::move(model_);
}

}  // namespace dltap::analyzer

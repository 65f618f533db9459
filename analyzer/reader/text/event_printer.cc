// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/text/event_printer.h"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "analyzer/reader/text/text_words.h"
#include "shim/specs/words.h"

namespace dltap::analyzer {

EventPrinter::EventPrinter(const TraceModel& model, const Process& process,
                           const ThreadNumbers& threads,
                           const PrintOptions& options, LinePrinter& out)
    : model_(model),
      process_(process),
      threads_(threads),
      options_(options),
      out_(out) {
  for (const CallSite& site : process.call_sites) {
    sites_[{site.thread, site.begin_ticks}] = site.site;
  }
  if (process.launches.empty() && process.graph_nodes.empty()) return;
  for (const Call& call : process.calls) {
    if (call.begin_ticks == 0) continue;
    begins_[call.begin_ticks].emplace_back(call.thread, call.begin_ns);
  }
}

std::vector<EventPrinter::Entry> EventPrinter::InOrderOfTime() const {
  std::vector<Entry> order;
  const auto add = [&order](Kind kind, const auto& events, auto begin) {
    for (size_t i = 0; i < events.size(); ++i) {
      order.push_back({begin(events[i]), kind, static_cast<uint32_t>(i)});
    }
  };
  const auto begin_ns = [](const auto& event) { return event.begin_ns; };
  add(Kind::kRange, process_.ranges, begin_ns);
  add(Kind::kCall, process_.calls, begin_ns);
  add(Kind::kLaunch, process_.launches, begin_ns);
  add(Kind::kActivity, process_.activities, begin_ns);
  add(Kind::kNotObserved, process_.not_observed, begin_ns);
  add(Kind::kMemory, process_.memory_events,
      [](const MemoryEvent& event) { return event.at_ns; });
  add(Kind::kSync, process_.syncs, begin_ns);
  add(Kind::kDelay, process_.delays, begin_ns);
  add(Kind::kDelayed, process_.delayed_calls,
      [](int64_t at_ns) { return at_ns; });
  if (!options_.canonical) {
    add(Kind::kSample, process_.cpu_samples,
        [](const CpuSample& sample) { return sample.at_ns; });
    add(Kind::kOffCpu, process_.off_cpu, begin_ns);
    add(Kind::kSwitchesKnown, process_.switches_known, begin_ns);
    add(Kind::kFrames, process_.frames_seen,
        [](const FramesSeen& seen) { return seen.at_ns; });
    add(Kind::kProcessSample, process_.process_samples,
        [](const ProcessSample& sample) { return sample.at_ns; });
  }
  // Work of several streams that begins at once is recorded in any order.
  const auto launched = [&](const Entry& entry) -> uint64_t {
    if (!options_.canonical || entry.kind != Kind::kActivity) return 0;
    return process_.activities[entry.position].correlation;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const Entry& a, const Entry& b) {
                     return std::tuple(a.begin_ns, a.kind, launched(a)) <
                            std::tuple(b.begin_ns, b.kind, launched(b));
                   });
  for (size_t i = 0; i < process_.graph_nodes.size(); ++i) {
    order.push_back({0, Kind::kGraphNode, static_cast<uint32_t>(i)});
  }
  return order;
}

void EventPrinter::PrintAll() {
  const std::vector<Entry> order = InOrderOfTime();
  uint64_t printed = 0;
  for (const Entry& entry : order) {
    if (printed == options_.limit) {
      out_.Begin("#").Number(static_cast<int64_t>(order.size() - printed));
      out_.Word("more events").End();
      return;
    }
    Print(entry);
    ++printed;
    if (out_.stopped()) return;
  }
}

void EventPrinter::Print(const Entry& entry) {
  switch (entry.kind) {
    case Kind::kRange: return PrintRange(process_.ranges[entry.position]);
    case Kind::kCall: return PrintCall(process_.calls[entry.position]);
    case Kind::kLaunch: return PrintLaunch(process_.launches[entry.position]);
    case Kind::kActivity:
      return PrintActivity(process_.activities[entry.position]);
    case Kind::kSample:
      return PrintSample(process_.cpu_samples[entry.position]);
    case Kind::kOffCpu: return PrintOffCpu(process_.off_cpu[entry.position]);
    case Kind::kSwitchesKnown:
      return PrintSwitchesKnown(process_.switches_known[entry.position]);
    case Kind::kFrames:
      return PrintFrames(process_.frames_seen[entry.position]);
    case Kind::kProcessSample:
      return PrintProcessSample(process_.process_samples[entry.position]);
    case Kind::kMemory:
      return PrintMemory(process_.memory_events[entry.position]);
    case Kind::kSync: return PrintSync(process_.syncs[entry.position]);
    case Kind::kDelay: return PrintDelay(process_.delays[entry.position]);
    case Kind::kDelayed:
      out_.Begin("delayed").Span(entry.begin_ns, entry.begin_ns).End();
      return;
    case Kind::kNotObserved:
      return PrintNotObserved(process_.not_observed[entry.position]);
    case Kind::kGraphNode:
      return PrintGraphNode(process_.graph_nodes[entry.position]);
  }
}

void EventPrinter::PrintCall(const Call& call) {
  out_.Begin("call").Span(call.begin_ns, call.end_ns);
  out_.Field("thread", threads_.Of(call.thread));
  out_.Name(model_.entry_points[call.entry.value()].symbol);
  out_.Field("depth", call.depth);
  out_.MaybeWord("failed", call.failed);
  out_.MaybeWord("capturing", call.capturing);
  out_.Maybe("corr", Correlation(call.correlation));
  out_.MaybeText("launches", model_.texts[call.function]);
  if (const auto site = sites_.find({call.thread, call.begin_ticks});
      site != sites_.end() && call.depth == 0) {
    out_.Field("site", static_cast<int64_t>(site->second.value() + 1));
  }
  PrintArgs(call);
  out_.End();
}

bool EventPrinter::HasOperation(const EntryPoint& entry) {
  return std::ranges::any_of(entry.args, [](const ArgLayout& arg) {
    return arg.meaning == Meaning::kOperation;
  });
}

// An argument may have the name of one of a call's own keys.
std::string EventPrinter::KeyOf(const ArgLayout& arg) {
  const bool taken = std::find(std::begin(kCallKeys), std::end(kCallKeys),
                               arg.name) != std::end(kCallKeys);
  return taken ? std::string(kArgPrefix) + arg.name : arg.name;
}

void EventPrinter::PrintArgs(const Call& call) {
  const EntryPoint& entry = model_.entry_points[call.entry.value()];
  for (size_t i = 0; i < entry.args.size(); ++i) {
    const ArgLayout& arg = entry.args[i];
    const std::string key = KeyOf(arg);
    // The model's ids differ from the trace's when processes are merged.
    if (arg.meaning == Meaning::kOperation && call.operation.known()) {
      out_.Field(key, static_cast<int64_t>(call.operation.value() + 1));
      continue;
    }
    const auto value = IntArg(entry, process_, call, i);
    if (!value) continue;
    if (arg.kind == ArgKind::kPointer || arg.kind == ArgKind::kHandle) {
      out_.Hex(key, Address(arg, static_cast<uint64_t>(*value)));
    } else if (arg.kind == ArgKind::kFloat && arg.width == 8) {
      double real;
      std::memcpy(&real, &*value, sizeof real);
      out_.Real(key, real);
    } else if (arg.kind == ArgKind::kFloat && arg.width == 4) {
      float real;
      std::memcpy(&real, &*value, sizeof real);
      out_.Real(key, real);
    } else if (arg.meaning == Meaning::kClique && options_.canonical) {
      // Its ranks drew the number.
      out_.Field(key, static_cast<int64_t>(
                          cliques_.Of(static_cast<uint64_t>(*value))));
    } else {
      out_.Field(key, *value);
    }
  }
  if (call.operation.known() && !HasOperation(entry)) {
    out_.Field("operation", static_cast<int64_t>(call.operation.value() + 1));
  }
}

// Text names a call by its begin; ticks that no call has stay a number.
void EventPrinter::PrintCallRef(std::string_view key, std::string_view raw_key,
                                ThreadId thread, uint64_t ticks) {
  if (ticks == 0) return;
  const auto found = begins_.find(ticks);
  if (found != begins_.end()) {
    for (const auto& [owner, begin_ns] : found->second) {
      if (owner == thread) {
        out_.Ns(key, begin_ns);
        return;
      }
    }
  }
  const uint64_t raw = ticks & ~kRawTicks;
  if (raw != 0) out_.Field(raw_key, static_cast<int64_t>(raw));
}

void EventPrinter::PrintLaunch(const LaunchRecord& launch) {
  out_.Begin("launchapi").Span(launch.begin_ns, launch.end_ns);
  if (launch.thread.known()) {
    out_.Field("thread", threads_.Of(launch.thread));
  }
  out_.Maybe("corr", Correlation(launch.correlation));
  out_.Maybe("api", launch.api);
  PrintCallRef("ext", "ext_ticks", launch.thread, launch.external);
  out_.End();
}

void EventPrinter::PrintActivity(const Activity& activity) {
  static constexpr std::string_view kKinds[] = {"kernel", "memcpy", "memset"};
  out_.Begin(kKinds[static_cast<size_t>(activity.kind)]);
  out_.Span(activity.begin_ns, activity.end_ns);
  out_.Field("device", process_.devices[activity.device.value()].ordinal);
  const Stream& stream = process_.streams[activity.stream.value()];
  out_.Field("stream", static_cast<int64_t>(stream.number));
  if (stream.context != 1) out_.Field("context", stream.context);
  out_.Maybe("corr", Correlation(activity.correlation));
  out_.Maybe("graph", activity.graph);
  out_.Maybe("graph_node", static_cast<int64_t>(activity.graph_node));
  out_.Maybe("bytes", static_cast<int64_t>(activity.bytes));
  if (activity.kind == ActivityKind::kKernel) PrintKernel(activity);
  if (activity.kind == ActivityKind::kMemcpy) {
    out_.Plain("kind", ToWord(kCopyWords, activity.copy));
    out_.Plain("src", ToWord(kMemoryWords, activity.source));
  }
  if (activity.kind != ActivityKind::kKernel) {
    out_.Plain("dst", ToWord(kMemoryWords, activity.target));
  }
  out_.End();
}

void EventPrinter::PrintKernel(const Activity& activity) {
  out_.Text("name", model_.texts[activity.name]);
  if (activity.shape >= process_.launch_shapes.size()) return;
  const LaunchShape& shape = process_.launch_shapes[activity.shape];
  out_.Extent("grid", shape.grid).Extent("block", shape.block);
  out_.Maybe("static_shared", shape.static_shared_bytes);
  out_.Maybe("dynamic_shared", shape.dynamic_shared_bytes);
  out_.Maybe("registers", shape.registers_per_thread);
}

void EventPrinter::PrintGraphNode(const GraphNodeOrigin& origin) {
  out_.Begin("graphnode").Number(static_cast<int64_t>(origin.node));
  out_.Maybe("original", static_cast<int64_t>(origin.original_node));
  if (origin.thread.known()) {
    out_.Field("thread", threads_.Of(origin.thread));
  }
  PrintCallRef("call", "call_ticks", origin.thread, origin.call_begin_ticks);
  out_.End();
}

void EventPrinter::PrintRange(const Range& range) {
  out_.Begin("range").Span(range.begin_ns, range.end_ns);
  out_.Field("thread", threads_.Of(range.thread));
  out_.Text("name", model_.texts[range.name]);
  out_.Plain("kind", ToWord(kRangeWords, range.kind));
  out_.MaybeText("domain", model_.texts[range.domain]);
  out_.MaybeText("detail", model_.texts[range.detail]);
  out_.MaybeWord("backward", range.backward);
  if (range.sequence >= 0) out_.Field("seq", range.sequence);
  if (range.operation.known()) {
    out_.Field("operation", static_cast<int64_t>(range.operation.value() + 1));
  }
  out_.End();
}

void EventPrinter::PrintSample(const CpuSample& sample) {
  out_.Begin("sample").Span(sample.at_ns, sample.at_ns);
  out_.Field("thread", threads_.Of(sample.thread));
  out_.Field("on_cpu", sample.on_cpu ? 1 : 0);
  out_.Ns("cpu", sample.cpu_time_ns);
  if (sample.run_delay_ns) out_.Ns("run_delay", *sample.run_delay_ns);
  out_.End();
}

void EventPrinter::PrintOffCpu(const OffCpu& off) {
  out_.Begin("off_cpu").Span(off.begin_ns, off.end_ns);
  out_.Field("thread", threads_.Of(off.thread));
  out_.Field("preempted", off.preempted ? 1 : 0).End();
}

void EventPrinter::PrintSwitchesKnown(const SwitchesKnown& known) {
  out_.Begin("switches_known").Span(known.begin_ns, known.end_ns);
  out_.Field("thread", threads_.Of(known.thread)).End();
}

void EventPrinter::PrintFrames(const FramesSeen& seen) {
  out_.Begin("frames").Span(seen.at_ns, seen.at_ns);
  out_.Field("thread", threads_.Of(seen.thread));
  if (seen.site.known()) {
    out_.Field("site", static_cast<int64_t>(seen.site.value()) + 1);
  }
  out_.End();
}

void EventPrinter::PrintProcessSample(const ProcessSample& sample) {
  out_.Begin("process_sample").Span(sample.at_ns, sample.at_ns);
  out_.Ns("cpu", sample.cpu_time_ns);
  out_.Maybe("resident", sample.resident_bytes).End();
}

void EventPrinter::PrintMemory(const MemoryEvent& event) {
  out_.Begin("memory").Span(event.at_ns, event.at_ns);
  if (event.thread.known()) {
    out_.Field("thread", threads_.Of(event.thread));
  }
  out_.Field("device", process_.devices[event.device.value()].ordinal);
  out_.Field("address", static_cast<int64_t>(options_.canonical
                                                 ? addresses_.Of(event.address)
                                                 : event.address));
  out_.Field("bytes", event.bytes);
  if (event.reserved_bytes >= 0) {
    out_.Field("allocated", event.allocated_bytes);
    out_.Field("reserved", event.reserved_bytes);
  }
  if (event.kind != MemoryKind::kDevice) {
    out_.Plain("kind", ToWord(kMemoryWords, event.kind));
  }
  out_.MaybeWord("refused", event.refused);
  out_.End();
}

void EventPrinter::PrintSync(const Sync& sync) {
  out_.Begin("sync").Span(sync.begin_ns, sync.end_ns);
  if (sync.kind != SyncKind::kUnknown) {
    out_.Plain("kind", ToWord(kSyncWords, sync.kind));
  }
  out_.Maybe("corr", Correlation(sync.correlation));
  if (sync.device.known()) {
    out_.Field("device", process_.devices[sync.device.value()].ordinal);
  }
  const auto print = [this](std::string_view key, std::string_view context_key,
                            StreamId id) {
    if (!id.known()) return;
    const Stream& stream = process_.streams[id.value()];
    out_.Field(key, static_cast<int64_t>(stream.number));
    if (stream.context != 1) out_.Field(context_key, stream.context);
  };
  print("stream", "context", sync.stream);
  out_.Maybe("event", static_cast<int64_t>(sync.event));
  out_.Maybe("record", Correlation(sync.event_correlation));
  print("record_stream", "record_context", sync.event_stream);
  out_.End();
}

void EventPrinter::PrintDelay(const DelayWindow& window) {
  out_.Begin("delay").Span(window.begin_ns, window.end_ns);
  if (window.delay_ns != 0) {
    out_.Plain("class", Name(window.layer_class));
    out_.Ns("length", window.delay_ns);
  }
  out_.MaybeWord("source_off", window.source_off).End();
}

void EventPrinter::PrintNotObserved(const NotObserved& span) {
  out_.Begin("not_observed").Span(span.begin_ns, span.end_ns);
  out_.Field("device", process_.devices[span.device.value()].ordinal);
  out_.Plain("cause", ToWord(kCauseWords, span.cause)).End();
}

int64_t EventPrinter::Correlation(uint64_t correlation) {
  return static_cast<int64_t>(options_.canonical ? correlations_.Of(correlation)
                                                 : correlation);
}

// The heap may or may not give a short-lived object (a cuDNN variant pack) an
// old address again, so equal runs differ. Only null is kept apart here.
uint64_t EventPrinter::Address(const ArgLayout& arg, uint64_t address) {
  if (!options_.canonical) return address;
  const bool lasts = arg.kind == ArgKind::kPointer ||
                     arg.meaning == Meaning::kStream ||
                     arg.meaning == Meaning::kEvent;
  if (lasts) return addresses_.Of(address);
  return address == 0 ? 0 : 1;
}

}  // namespace dltap::analyzer

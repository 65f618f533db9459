// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/perfetto_trace.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "analyzer/exporters/frames_text.h"
#include "analyzer/exporters/lanes.h"
#include "analyzer/exporters/perfetto_packets.h"
#include "analyzer/exporters/thread_spans.h"
#include "analyzer/metrics/base/op_name.h"
#include "analyzer/metrics/memory/memory_changes.h"
#include "analyzer/metrics/windows/step_choice.h"
#include "analyzer/output/utf8.h"

namespace dltap::analyzer {
namespace {

using perfetto::TrackEvent;

class ProcessWriter {
 public:
  ProcessWriter(const ExportInput& input, size_t p, PerfettoPackets& packets)
      : input_(input),
        model_(input.model),
        process_(input.model.processes[p]),
        attribution_(input.attribution.processes[p]),
        steps_(input.steps[p]),
        packets_(packets) {}

  // `tids` has one number a thread; `first_flow` is the id of the first call's
  // flow.
  void Run(int32_t pid, const std::vector<int64_t>& tids, uint64_t first_flow) {
    first_flow_ = first_flow;
    WriteProcess(pid);
    FindFlows();
    WriteSteps();
    for (size_t t = 0; t < process_.threads.size(); ++t) {
      WriteThread(pid, tids[t], ThreadId(t));
    }
    for (size_t d = 0; d < process_.devices.size(); ++d) {
      WriteDevice(DeviceId(d));
    }
  }

  uint64_t DeviceTrack(DeviceId device) const {
    const auto it = devices_.find(device.value());
    return it == devices_.end() ? 0 : it->second;
  }

 private:
  void WriteProcess(int32_t pid) {
    perfetto::TrackDescriptor* const track = packets_.AddTrack();
    root_ = track->uuid();
    perfetto::ProcessDescriptor* const process = track->mutable_process();
    process->set_pid(pid);
    process->set_process_name(ValidUtf8(process_.program));
    process->add_process_labels(ValidUtf8(ProcessLabel(process_)));
    for (const std::string& argument : process_.command) {
      process->add_cmdline(ValidUtf8(argument));
    }
  }

  // Which wanted activity of a call is its last: where its flow ends.
  void FindFlows() {
    for (size_t i = 0; i < process_.activities.size(); ++i) {
      const CallId from = attribution_.activities[i].submitted_by;
      if (!from.known() || !input_.Wants(process_, process_.activities[i]) ||
          !input_.Wants(process_.calls[from.value()])) {
        continue;
      }
      flow_ends_[from.value()] = i;
    }
  }

  uint64_t NewTrack(uint64_t parent, std::string_view name) {
    perfetto::TrackDescriptor* const track = packets_.AddTrack(parent);
    track->set_name(ValidUtf8(name));
    return track->uuid();
  }

  void WriteSteps() {
    uint64_t track = 0;
    for (size_t i = 0; i < steps_.steps.size(); ++i) {
      const Step& step = steps_.steps[i];
      if (!input_.Wants(step)) continue;
      if (track == 0) track = NewTrack(root_, "steps");
      packets_.AddEvent(TrackEvent::TYPE_SLICE_BEGIN, track, step.begin_ns);
      packets_.Name("step", "step " + std::to_string(i));
      packets_.Annotate("use", Name(step.use));
      packets_.AddEvent(TrackEvent::TYPE_SLICE_END, track, step.end_ns);
    }
  }

  void WriteThread(int32_t pid, int64_t tid, ThreadId id) {
    const std::vector<ThreadSpan> spans = ThreadSpansOf(input_, process_, id);
    if (spans.empty()) return;
    const Thread& thread = process_.threads[id.value()];
    perfetto::TrackDescriptor* const track = packets_.AddTrack();
    std::vector<uint64_t> tracks = {track->uuid()};
    perfetto::ThreadDescriptor* const of = track->mutable_thread();
    of->set_pid(pid);
    of->set_tid(tid);
    of->set_thread_name(ValidUtf8(thread.name));
    Lanes lanes([&](size_t lane, int64_t at_ns) {
      packets_.AddEvent(TrackEvent::TYPE_SLICE_END, tracks[lane], at_ns);
    });
    for (const ThreadSpan& span : spans) {
      const size_t lane = lanes.Open(span.begin_ns, span.end_ns);
      if (lane == tracks.size()) {
        tracks.push_back(NewTrack(tracks.front(), thread.name));
      }
      WriteThreadSpan(span, tracks[lane]);
    }
    lanes.CloseAll();
    WriteFrames(id, tracks.front());
  }

  void WriteFrames(ThreadId id, uint64_t track) {
    for (const FramesSeen& seen : process_.frames_seen) {
      if (seen.thread != id || !input_.Wants(seen.at_ns, seen.at_ns + 1)) {
        continue;
      }
      const FramesText text = TextOf(model_, seen);
      packets_.AddEvent(TrackEvent::TYPE_INSTANT, track, seen.at_ns);
      packets_.Name("python_frames", text.place);
      if (!text.stack.empty()) packets_.Annotate("stack", text.stack);
    }
  }

  void WriteThreadSpan(const ThreadSpan& span, uint64_t track) {
    TrackEvent* const event =
        packets_.AddEvent(TrackEvent::TYPE_SLICE_BEGIN, track, span.begin_ns);
    packets_.Name(CategoryOf(model_, process_, span),
                  NameOf(model_, process_, span));
    if (!span.call.known()) return;
    const size_t i = span.call.value();
    if (flow_ends_.contains(i)) event->add_flow_ids(first_flow_ + i);
    const Call& call = process_.calls[i];
    const EntryPoint& entry = model_.entry_points[call.entry.value()];
    for (size_t a = 0; a < entry.args.size(); ++a) {
      if (const auto value = IntArg(entry, process_, call, a)) {
        packets_.Annotate(entry.args[a].name, *value);
      }
    }
    if (call.failed) packets_.Annotate("failed", "true");
  }

  void WriteDevice(DeviceId id) {
    const Device& device = process_.devices[id.value()];
    if (!Selects(input_.selection, device)) return;
    const uint64_t track = NewTrack(root_, DeviceLabel(device));
    devices_.emplace(id.value(), track);
    for (size_t s = 0; s < process_.streams.size(); ++s) {
      if (process_.streams[s].device == id) WriteStream(StreamId(s), track);
    }
    WriteQueue(id, track);
  }

  void WriteStream(StreamId id, uint64_t parent) {
    const std::string name =
        "stream " + std::to_string(process_.streams[id.value()].number);
    std::vector<uint64_t> tracks;
    Lanes lanes([&](size_t lane, int64_t at_ns) {
      packets_.AddEvent(TrackEvent::TYPE_SLICE_END, tracks[lane], at_ns);
    });
    for (const size_t i : ActivitiesOf(id)) {
      const Activity& activity = process_.activities[i];
      const size_t lane = lanes.Open(activity.begin_ns, activity.end_ns);
      if (lane == tracks.size()) tracks.push_back(NewTrack(parent, name));
      WriteActivity(i, tracks[lane]);
    }
    lanes.CloseAll();
  }

  std::vector<size_t> ActivitiesOf(StreamId stream) const {
    std::vector<size_t> found;
    for (size_t i = 0; i < process_.activities.size(); ++i) {
      const Activity& activity = process_.activities[i];
      if (activity.stream == stream && input_.Wants(process_, activity)) {
        found.push_back(i);
      }
    }
    const auto& activities = process_.activities;
    std::stable_sort(found.begin(), found.end(), [&](size_t a, size_t b) {
      return std::pair(activities[a].begin_ns, -activities[a].end_ns) <
             std::pair(activities[b].begin_ns, -activities[b].end_ns);
    });
    return found;
  }

  void WriteActivity(size_t i, uint64_t track) {
    const Activity& activity = process_.activities[i];
    const Attributed& attributed = attribution_.activities[i];
    TrackEvent* const event = packets_.AddEvent(TrackEvent::TYPE_SLICE_BEGIN,
                                                track, activity.begin_ns);
    packets_.Name(analyzer::Name(attributed.layer_class),
                  ActivityName(model_, activity));
    if (attributed.submitted_by.known()) {
      const size_t call = attributed.submitted_by.value();
      const auto end = flow_ends_.find(call);
      if (end != flow_ends_.end()) {
        end->second == i ? event->add_terminating_flow_ids(first_flow_ + call)
                         : event->add_flow_ids(first_flow_ + call);
      }
    }
    packets_.Annotate("direction", analyzer::Name(attributed.direction));
    packets_.Annotate("class_from", analyzer::Name(attributed.class_from));
    packets_.Annotate("joined_by", analyzer::Name(attributed.joined_by));
    const OpIdentity op = IdentityOf(model_, process_, attribution_, i);
    if (op.scalars != nullptr) packets_.Annotate("shape", Scalars(*op.scalars));
    packets_.Annotate("correlation", activity.correlation);
    if (activity.bytes != 0) packets_.Annotate("bytes", activity.bytes);
    if (activity.kind == ActivityKind::kKernel) AnnotateShape(activity);
  }

  void AnnotateShape(const Activity& activity) {
    if (activity.shape >= process_.launch_shapes.size()) return;
    const LaunchShape& shape = process_.launch_shapes[activity.shape];
    const auto triple = [](const std::array<uint32_t, 3>& t) {
      return std::to_string(t[0]) + "x" + std::to_string(t[1]) + "x" +
             std::to_string(t[2]);
    };
    packets_.Annotate("grid", triple(shape.grid));
    packets_.Annotate("block", triple(shape.block));
    packets_.Annotate("registers_per_thread",
                      uint64_t{shape.registers_per_thread});
    packets_.Annotate("shared_memory", uint64_t{shape.static_shared_bytes} +
                                           shape.dynamic_shared_bytes);
  }

  // Activities that were submitted and have not ended, as METRICS.md "Queue
  // depth" counts them.
  void WriteQueue(DeviceId device, uint64_t parent) {
    std::vector<std::pair<int64_t, int>> changes;
    for (size_t i = 0; i < process_.activities.size(); ++i) {
      const Activity& activity = process_.activities[i];
      const CallId from = attribution_.activities[i].submitted_by;
      if (activity.device != device || !from.known()) continue;
      changes.emplace_back(process_.calls[from.value()].begin_ns, 1);
      changes.emplace_back(activity.end_ns, -1);
    }
    if (changes.empty()) return;
    std::sort(changes.begin(), changes.end());
    perfetto::TrackDescriptor* const track = packets_.AddTrack(parent);
    const uint64_t uuid = track->uuid();
    track->set_name("unfinished work");
    track->mutable_counter()->set_unit(perfetto::CounterDescriptor::UNIT_COUNT);
    int64_t depth = 0;
    for (size_t i = 0; i < changes.size(); ++i) {
      depth += changes[i].second;
      const int64_t at_ns = changes[i].first;
      if (i + 1 < changes.size() && changes[i + 1].first == at_ns) continue;
      if (!input_.Wants(at_ns, at_ns + 1)) continue;
      packets_.AddEvent(TrackEvent::TYPE_COUNTER, uuid, at_ns)
          ->set_counter_value(depth);
    }
  }

  const ExportInput& input_;
  const TraceModel& model_;
  const Process& process_;
  const ProcessAttribution& attribution_;
  const Steps& steps_;
  PerfettoPackets& packets_;
  uint64_t root_ = 0;
  uint64_t first_flow_ = 0;
  absl::flat_hash_map<size_t, size_t> flow_ends_;  // by call
  absl::flat_hash_map<size_t, uint64_t> devices_;  // their tracks
};

// Numbers of several hosts may be equal; a viewer takes equal ones for one
// process, or for one thread whatever its process. As on a host, both have one
// range of numbers.
class UniqueNumbers {
 public:
  int32_t Of(int64_t wanted) {
    auto number = static_cast<int32_t>(wanted & 0x3FFFFFFF);
    while (!taken_.insert(number).second) ++number;
    return number;
  }

 private:
  absl::flat_hash_set<int32_t> taken_;
};

// The main thread stays known as such: its number is its process's.
std::vector<int64_t> NumberThreads(const Process& process, int32_t pid,
                                   UniqueNumbers& numbers) {
  std::vector<int64_t> tids;
  for (const Thread& thread : process.threads) {
    const auto tid = static_cast<int64_t>(thread.tid);
    tids.push_back(tid == process.pid ? pid : numbers.Of(tid));
  }
  return tids;
}

void WriteMemory(const ExportInput& input, const DeviceChanges& changes,
                 uint64_t parent, PerfettoPackets& packets) {
  std::vector<MemoryChange> in_time = changes.held;
  SortInTime(in_time);
  perfetto::TrackDescriptor* const track = packets.AddTrack(parent);
  const uint64_t uuid = track->uuid();
  track->set_name("memory held");
  track->mutable_counter()->set_unit(
      perfetto::CounterDescriptor::UNIT_SIZE_BYTES);
  int64_t held = 0;
  for (const MemoryChange& change : in_time) {
    held += change.bytes;
    if (!input.Wants(change.at_ns, change.at_ns + 1)) continue;
    packets.AddEvent(perfetto::TrackEvent::TYPE_COUNTER, uuid, change.at_ns)
        ->set_counter_value(held);
  }
}

}  // namespace

void WritePerfettoTrace(const ExportInput& input, const ByteSink& sink) {
  PerfettoPackets packets(sink);
  std::vector<ProcessWriter> writers;
  UniqueNumbers numbers;
  uint64_t first_flow = 1;
  int64_t end_ns = 0;
  for (size_t p = 0; p < input.model.processes.size(); ++p) {
    const Process& process = input.model.processes[p];
    writers.emplace_back(input, p, packets);
    const int32_t pid = numbers.Of(process.pid);
    writers.back().Run(pid, NumberThreads(process, pid, numbers), first_flow);
    first_flow += process.calls.size();
    end_ns = std::max(end_ns, process.end_ns);
  }
  MemorySummary rest;
  for (const DeviceChanges& changes :
       GatherMemory(input.model, input.attribution, input.selection,
                    {0, end_ns}, rest)) {
    if (changes.held.empty() || changes.members.empty()) continue;
    const DeviceMember& of = changes.members.front();
    if (!of.device.known()) continue;
    const uint64_t parent = writers[of.process].DeviceTrack(of.device);
    if (parent != 0) WriteMemory(input, changes, parent, packets);
  }
}

}  // namespace dltap::analyzer

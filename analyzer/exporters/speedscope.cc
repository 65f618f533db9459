// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/speedscope.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/exporters/lanes.h"
#include "analyzer/exporters/thread_spans.h"
#include "analyzer/output/json_writer.h"

namespace dltap::analyzer {
namespace {

struct Event {
  bool opens;
  size_t frame;
  int64_t at_ns;
};

// The spans of one row; those that overlap without nesting go to further
// profiles of the same name.
class Row {
 public:
  Row() : lanes_([this](size_t lane, int64_t at_ns) { Close(lane, at_ns); }) {}
  Row(const Row&) = delete;
  Row& operator=(const Row&) = delete;

  // Frames from the outside in; all with the same times.
  void Add(int64_t begin_ns, int64_t end_ns,
           const std::vector<size_t>& frames) {
    if (end_ns <= begin_ns) return;
    const size_t lane = lanes_.Open(begin_ns, end_ns);
    if (lane == events_.size()) {
      events_.emplace_back();
      open_.emplace_back();
    }
    open_[lane].push_back(frames);
    for (const size_t frame : frames) {
      events_[lane].push_back({true, frame, begin_ns});
    }
  }

  const std::vector<std::vector<Event>>& Finish() {
    lanes_.CloseAll();
    return events_;
  }

 private:
  void Close(size_t lane, int64_t at_ns) {
    const std::vector<size_t> frames = std::move(open_[lane].back());
    open_[lane].pop_back();
    for (auto it = frames.rbegin(); it != frames.rend(); ++it) {
      events_[lane].push_back({false, *it, at_ns});
    }
  }

  Lanes lanes_;
  std::vector<std::vector<Event>> events_;              // by lane
  std::vector<std::vector<std::vector<size_t>>> open_;  // the same
};

class SpeedscopeWriter {
 public:
  SpeedscopeWriter(const ExportInput& input, const ByteSink& sink)
      : input_(input), sink_(sink) {}

  void Run() {
    sink_(
        "{\"$schema\": "
        "\"https://www.speedscope.app/file-format-schema.json\", "
        "\"exporter\": \"dltap\", \"profiles\": [\n");
    for (size_t p = 0; p < input_.model.processes.size(); ++p) {
      WriteThreads(p);
      WriteStreams(p);
    }
    JsonWriter json;
    json.BeginObject();
    json.Key("frames");
    json.BeginArray();
    for (const std::string& frame : frames_) {
      json.BeginObject();
      json.Field("name", frame);
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
    sink_("\n], \"shared\": " + json.Take() + "}\n");
  }

 private:
  size_t FrameOf(std::string_view name) {
    const auto [it, is_new] =
        frame_of_.try_emplace(std::string(name), frames_.size());
    if (is_new) frames_.emplace_back(name);
    return it->second;
  }

  void WriteThreads(size_t p) {
    const Process& process = input_.model.processes[p];
    for (size_t t = 0; t < process.threads.size(); ++t) {
      Row row;
      for (const ThreadSpan& span :
           ThreadSpansOf(input_, process, ThreadId(t))) {
        row.Add(span.begin_ns, span.end_ns,
                {FrameOf(NameOf(input_.model, process, span))});
      }
      const Thread& thread = process.threads[t];
      Write(ProcessLabel(process) + " thread " + std::to_string(thread.tid) +
                (thread.name.empty() ? "" : " " + thread.name),
            row);
    }
  }

  void WriteStreams(size_t p) {
    const Process& process = input_.model.processes[p];
    std::vector<Row> rows(process.streams.size());
    for (size_t i = 0; i < process.activities.size(); ++i) {
      const Activity& activity = process.activities[i];
      if (!input_.Wants(process, activity)) continue;
      const Attributed& of = input_.attribution.processes[p].activities[i];
      rows[activity.stream.value()].Add(
          activity.begin_ns, activity.end_ns,
          {FrameOf(analyzer::Name(of.layer_class)),
           FrameOf(ActivityName(input_.model, activity))});
    }
    for (size_t s = 0; s < rows.size(); ++s) {
      const Stream& stream = process.streams[s];
      Write(ProcessLabel(process) + " " +
                DeviceLabel(process.devices[stream.device.value()]) +
                " stream " + std::to_string(stream.number),
            rows[s]);
    }
  }

  void Write(const std::string& name, Row& row) {
    for (const std::vector<Event>& events : row.Finish()) {
      JsonWriter json;
      json.BeginObject();
      json.Field("type", "evented");
      json.Field("name", name);
      json.Field("unit", "nanoseconds");
      json.Field("startValue", events.front().at_ns);
      json.Field("endValue", events.back().at_ns);
      json.Key("events");
      json.BeginArray();
      for (const Event& event : events) {
        json.BeginObject();
        json.Field("type", event.opens ? "O" : "C");
        json.Field("frame", uint64_t{event.frame});
        json.Field("at", event.at_ns);
        json.EndObject();
      }
      json.EndArray();
      json.EndObject();
      sink_(is_first_ ? "" : ",\n");
      is_first_ = false;
      sink_(json.Take());
    }
  }

  const ExportInput& input_;
  const ByteSink& sink_;
  std::vector<std::string> frames_;
  absl::flat_hash_map<std::string, size_t> frame_of_;
  bool is_first_ = true;
};

}  // namespace

void WriteSpeedscope(const ExportInput& input, const ByteSink& sink) {
  SpeedscopeWriter(input, sink).Run();
}

}  // namespace dltap::analyzer

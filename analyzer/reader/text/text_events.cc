// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/text/text_events.h"

#include <bit>
#include <cstdlib>

#include "analyzer/reader/text/text_words.h"
#include "shim/specs/words.h"

namespace dltap::analyzer {
namespace {

// What stands for a call's begin_ticks in text: never 0, which means none.
uint64_t TicksOf(int64_t begin_ns) {
  return static_cast<uint64_t>(begin_ns) + 1;
}

// A call that is named by its begin or, where none has them, by raw ticks.
uint64_t CallTicks(TextFields& fields, std::string_view key,
                   std::string_view raw_key) {
  const int64_t begin_ns = fields.Time(key, -1);
  const auto raw = static_cast<uint64_t>(fields.Int(raw_key));
  if (raw != 0) return raw | kRawTicks;
  return begin_ns >= 0 ? TicksOf(begin_ns) : 0;
}

bool IsHex(std::string_view value) { return value.starts_with("0x"); }

// The rest of a call's fields are arguments, by their own names.
void AddArgs(TextFields& fields, TextBuilder& builder, Call& call) {
  for (TextLine::Field& field : fields.line().fields()) {
    if (field.used) continue;
    field.used = true;
    ArgKind kind = IsHex(field.value) ? ArgKind::kPointer : ArgKind::kInt;
    uint64_t bits = 0;
    char* end = nullptr;
    if (const auto value = ParseInteger(field.value)) {
      bits = static_cast<uint64_t>(*value);
    } else {
      kind = ArgKind::kFloat;
      bits = std::bit_cast<uint64_t>(std::strtod(field.value.c_str(), &end));
      if (field.value.empty() || *end != '\0') {
        return fields.Fail(field.key, field.value);
      }
    }
    if (field.key == "operation") {
      if (bits > TextFields::kMaxIndex) {
        return fields.Fail(field.key, field.value);
      }
      call.operation = builder.OperationAt(bits);
    }
    std::string_view name = field.key;
    if (name.starts_with(kArgPrefix)) name.remove_prefix(kArgPrefix.size());
    if (!builder.AddArg(call, name, kind, bits)) {
      return fields.Fail(field.key, "too many arguments");
    }
  }
}

// Sites are numbered from 1 on.
SiteId SiteOf(TextFields& fields, TextBuilder& builder) {
  const int64_t site = fields.Int("site");
  if (site <= 0) return {};
  if (static_cast<size_t>(site) <= builder.model().sites.size()) {
    return SiteId(static_cast<size_t>(site) - 1);
  }
  fields.Fail("site", "no such site");
  return {};
}

void OnCall(TextFields& fields, TextBuilder& builder) {
  const TextSpan span = fields.Span();
  Call call{};
  call.begin_ns = span.begin_ns;
  call.end_ns = span.end_ns;
  call.begin_ticks = TicksOf(span.begin_ns);
  call.thread = builder.ThreadAt(fields.Index("thread"));
  if (fields.line().Word(0).empty()) fields.Fail("call", "no function name");
  call.entry = builder.EntryNamed(fields.line().Word(0));
  call.payload_offset =
      static_cast<uint32_t>(builder.process().payloads.size());
  call.failed = fields.Flag("failed");
  call.capturing = fields.Flag("capturing");
  call.correlation = fields.Int("corr");
  if (const auto kernel = fields.line().Get("launches")) {
    call.function = builder.model().texts.Intern(*kernel);
  }
  const int64_t depth = fields.Int("depth", -1);
  if (depth >= 0) call.depth = static_cast<uint8_t>(depth);
  if (const SiteId site = SiteOf(fields, builder); site.known()) {
    builder.process().call_sites.push_back(
        {call.thread, call.begin_ticks, site});
  }
  AddArgs(fields, builder, call);
  builder.process().calls.push_back(call);
  if (depth < 0) builder.LeaveDepthOpen();
}

void OnLaunchApi(TextFields& fields, TextBuilder& builder) {
  const TextSpan span = fields.Span();
  LaunchRecord launch{};
  launch.begin_ns = span.begin_ns;
  launch.end_ns = span.end_ns;
  launch.correlation = fields.Int("corr");
  launch.thread = builder.ThreadAt(fields.Index("thread"));
  // `cbid` in dumps of format 1.0.
  launch.api = static_cast<uint32_t>(fields.Int("api", fields.Int("cbid")));
  launch.external = CallTicks(fields, "ext", "ext_ticks");
  builder.process().launches.push_back(launch);
}

// What kernels, copies and memsets have in common.
Activity TakeActivity(TextFields& fields, TextBuilder& builder,
                      ActivityKind kind) {
  const TextSpan span = fields.Span();
  Activity activity{};
  activity.begin_ns = span.begin_ns;
  activity.end_ns = span.end_ns;
  activity.kind = kind;
  activity.correlation = fields.Int("corr");
  activity.graph_node = fields.Int("graph_node");
  activity.graph = static_cast<uint32_t>(fields.Int("graph"));
  activity.bytes = fields.Int("bytes");
  activity.device = builder.DeviceAt(static_cast<int>(fields.Int("device")));
  activity.stream =
      builder.StreamAt(activity.device, fields.Int("stream", 7),
                       static_cast<uint32_t>(fields.Int("context", 1)));
  return activity;
}

void OnKernel(TextFields& fields, TextBuilder& builder) {
  Activity activity = TakeActivity(fields, builder, ActivityKind::kKernel);
  activity.name = builder.model().texts.Intern(fields.Text("name"));
  LaunchShape shape;
  shape.grid = fields.Extent("grid");
  shape.block = fields.Extent("block");
  shape.static_shared_bytes =
      static_cast<uint32_t>(fields.Int("static_shared"));
  shape.dynamic_shared_bytes =
      static_cast<uint32_t>(fields.Int("dynamic_shared"));
  shape.registers_per_thread = static_cast<uint16_t>(fields.Int("registers"));
  activity.shape = builder.ShapeOf(shape);
  builder.process().activities.push_back(activity);
}

void OnMemcpy(TextFields& fields, TextBuilder& builder) {
  Activity activity = TakeActivity(fields, builder, ActivityKind::kMemcpy);
  activity.copy = fields.Word<CopyKind>("kind", kCopyWords);
  activity.source = fields.Word<MemoryKind>("src", kMemoryWords);
  activity.target = fields.Word<MemoryKind>("dst", kMemoryWords);
  builder.process().activities.push_back(activity);
}

void OnMemset(TextFields& fields, TextBuilder& builder) {
  Activity activity = TakeActivity(fields, builder, ActivityKind::kMemset);
  activity.target = fields.Word<MemoryKind>("dst", kMemoryWords);
  builder.process().activities.push_back(activity);
}

void OnGraphNode(TextFields& fields, TextBuilder& builder) {
  GraphNodeOrigin origin{};
  origin.node = fields.IntWord(0);
  origin.original_node = fields.Int("original");
  origin.call_begin_ticks = CallTicks(fields, "call", "call_ticks");
  if (fields.line().Has("thread")) {
    origin.thread = builder.ThreadAt(fields.Index("thread"));
  }
  builder.process().graph_nodes.push_back(origin);
}

void OnRange(TextFields& fields, TextBuilder& builder) {
  const TextSpan span = fields.Span();
  Range range{};
  range.begin_ns = span.begin_ns;
  range.end_ns = span.end_ns;
  range.thread = builder.ThreadAt(fields.Index("thread"));
  range.name = builder.model().texts.Intern(fields.Text("name"));
  if (const auto domain = fields.line().Get("domain")) {
    range.domain = builder.model().texts.Intern(*domain);
  }
  if (const auto detail = fields.line().Get("detail")) {
    range.detail = builder.model().texts.Intern(*detail);
  }
  range.kind = fields.Word<RangeKind>("kind", kRangeWords);
  range.backward = fields.Flag("backward");
  range.operation = builder.OperationAt(fields.Index("operation"));
  range.sequence = fields.Int("seq", -1);
  builder.process().ranges.push_back(range);
}

void OnOpen(TextFields& fields, TextBuilder& builder) {
  if (fields.line().Word(0).empty()) fields.Fail("open", "no function name");
  builder.process().open_calls.push_back(
      {.begin_ns = fields.Span().begin_ns,
       .thread = builder.ThreadAt(fields.Index("thread")),
       .entry = builder.EntryNamed(fields.line().Word(0))});
}

void OnSample(TextFields& fields, TextBuilder& builder) {
  builder.process().cpu_samples.push_back(
      {.at_ns = fields.Span().begin_ns,
       .thread = builder.ThreadAt(fields.Index("thread")),
       .on_cpu = fields.Int("on_cpu") != 0,
       .cpu_time_ns = fields.Time("cpu")});
  constexpr int64_t kNone = -1;
  const int64_t run_delay_ns = fields.Time("run_delay", kNone);
  if (run_delay_ns == kNone) return;
  builder.process().cpu_samples.back().run_delay_ns = run_delay_ns;
}

void OnOffCpu(TextFields& fields, TextBuilder& builder) {
  const auto span = fields.Span();
  builder.process().off_cpu.push_back(
      {.begin_ns = span.begin_ns,
       .end_ns = span.end_ns,
       .thread = builder.ThreadAt(fields.Index("thread")),
       .preempted = fields.Int("preempted") != 0});
}

void OnSwitchesKnown(TextFields& fields, TextBuilder& builder) {
  const auto span = fields.Span();
  builder.process().switches_known.push_back(
      {.begin_ns = span.begin_ns,
       .end_ns = span.end_ns,
       .thread = builder.ThreadAt(fields.Index("thread"))});
}

void OnFrames(TextFields& fields, TextBuilder& builder) {
  builder.process().frames_seen.push_back(
      {.at_ns = fields.Span().begin_ns,
       .thread = builder.ThreadAt(fields.Index("thread")),
       .site = SiteOf(fields, builder)});
}

void OnProcessSample(TextFields& fields, TextBuilder& builder) {
  builder.process().process_samples.push_back(
      {.at_ns = fields.Span().begin_ns,
       .cpu_time_ns = fields.Time("cpu"),
       .resident_bytes = static_cast<int64_t>(fields.Int("resident"))});
}

void OnMemory(TextFields& fields, TextBuilder& builder) {
  builder.process().memory_events.push_back(
      {.at_ns = fields.Span().begin_ns,
       .address = static_cast<uint64_t>(fields.Int("address")),
       .bytes = fields.Int("bytes"),
       .allocated_bytes = fields.Int("allocated", -1),
       .reserved_bytes = fields.Int("reserved", -1),
       .thread = builder.ThreadAt(fields.Index("thread")),
       .device = builder.DeviceAt(static_cast<int>(fields.Int("device"))),
       .kind =
           fields.Word<MemoryKind>("kind", kMemoryWords, MemoryKind::kDevice),
       .refused = fields.Flag("refused")});
}

void OnSync(TextFields& fields, TextBuilder& builder) {
  const TextSpan span = fields.Span();
  Sync sync{};
  sync.begin_ns = span.begin_ns;
  sync.end_ns = span.end_ns;
  sync.correlation = fields.Int("corr");
  sync.event = fields.Int("event");
  sync.event_correlation = fields.Int("record");
  sync.kind = fields.Word<SyncKind>("kind", kSyncWords);
  const auto stream_at = [&](std::string_view key, std::string_view context) {
    if (!fields.line().Has(key)) return StreamId();
    return builder.StreamAt(sync.device, fields.Int(key),
                            static_cast<uint32_t>(fields.Int(context, 1)));
  };
  if (fields.line().Has("device")) {
    sync.device = builder.DeviceAt(static_cast<int>(fields.Int("device")));
    sync.stream = stream_at("stream", "context");
    sync.event_stream = stream_at("record_stream", "record_context");
  }
  builder.process().syncs.push_back(sync);
}

void OnDelay(TextFields& fields, TextBuilder& builder) {
  const TextSpan span = fields.Span();
  DelayWindow window{span.begin_ns, span.end_ns, fields.Time("length", 0)};
  if (const auto word = fields.line().Get("class")) {
    const auto layer_class = specs::FromName<specs::LayerClass>(*word);
    if (!layer_class) fields.Fail("class", *word);
    window.layer_class = layer_class.value_or(specs::LayerClass::kUnattributed);
  }
  window.source_off = fields.Flag("source_off");
  builder.process().delays.push_back(window);
}

void OnDelayed(TextFields& fields, TextBuilder& builder) {
  builder.process().delayed_calls.push_back(fields.Span().begin_ns);
}

void OnNotObserved(TextFields& fields, TextBuilder& builder) {
  const TextSpan span = fields.Span();
  builder.process().not_observed.push_back(
      {.device = builder.DeviceAt(static_cast<int>(fields.Int("device"))),
       .begin_ns = span.begin_ns,
       .end_ns = span.end_ns,
       .cause = fields.Word<NotObservedCause>("cause", kCauseWords)});
}

struct Row {
  std::string_view kind;
  TextHandler handler;
};
constexpr Row kRows[] = {
    {"call", OnCall},
    {"launchapi", OnLaunchApi},
    {"kernel", OnKernel},
    {"memcpy", OnMemcpy},
    {"memset", OnMemset},
    {"graphnode", OnGraphNode},
    {"range", OnRange},
    {"sample", OnSample},
    {"off_cpu", OnOffCpu},
    {"switches_known", OnSwitchesKnown},
    {"frames", OnFrames},
    {"process_sample", OnProcessSample},
    {"memory", OnMemory},
    {"sync", OnSync},
    {"delay", OnDelay},
    {"delayed", OnDelayed},
    {"not_observed", OnNotObserved},
    {"open", OnOpen},
};

}  // namespace

TextHandler FindEventHandler(std::string_view kind) {
  for (const Row& row : kRows) {
    if (row.kind == kind) return row.handler;
  }
  return nullptr;
}

}  // namespace dltap::analyzer

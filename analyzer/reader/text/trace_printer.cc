// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/text/trace_printer.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "analyzer/reader/text/event_printer.h"
#include "analyzer/reader/text/print_line.h"
#include "analyzer/reader/text/text_words.h"
#include "analyzer/reader/text/thread_numbers.h"
#include "shim/specs/words.h"

namespace dltap::analyzer {
namespace {

// They come in the order in which threads first used them.
void PrintEntryPoints(const TraceModel& model, bool canonical,
                      LinePrinter& out) {
  std::vector<const EntryPoint*> entries;
  for (const EntryPoint& entry : model.entry_points) entries.push_back(&entry);
  if (canonical) {
    std::ranges::sort(entries, {}, [](const EntryPoint* entry) {
      return std::tie(entry->library, entry->symbol);
    });
  }
  for (const EntryPoint* entry : entries) {
    out.Begin("entry").Name(entry->symbol);
    out.MaybeText("library", entry->library).End();
  }
}

void PrintOperations(const TraceModel& model, LinePrinter& out) {
  for (size_t i = 0; i < model.operations.size(); ++i) {
    for (const opmodel::Operation& node : model.operations[i]) {
      out.Begin("operation").Number(static_cast<int64_t>(i + 1));
      out.Word(Name(node.kind));
      out.Plain("storage", Name(node.storage));
      out.Plain("math", Name(node.math));
      if (node.cell != opmodel::RnnCell::kNone) {
        out.Plain("cell", Name(node.cell));
      }
      for (size_t d = 0; d < node.dims.size(); ++d) {
        out.Maybe(Name(static_cast<opmodel::Dim>(d)), node.dims[d]);
      }
      out.End();
    }
  }
}

void PrintSites(const TraceModel& model, LinePrinter& out) {
  for (size_t i = 0; i < model.sites.size(); ++i) {
    const LaunchSite& site = model.sites[i];
    out.Begin("site").Number(static_cast<int64_t>(i + 1));
    out.Word(ToWord(kSiteWords, site.kind));
    out.MaybeWord("truncated", site.truncated).End();
    for (const SiteFrame& frame : site.frames) {
      out.Begin("frame").MaybeText("function", frame.function);
      out.MaybeText("place", frame.place).MaybeText("detail", frame.detail);
      out.Maybe("line", frame.line);
      if (frame.address != 0) out.Hex("address", frame.address);
      out.End();
    }
  }
}

void PrintProcess(const Process& process, bool canonical, LinePrinter& out) {
  out.Begin("process");
  if (!canonical) out.Field("pid", process.pid).MaybeText("host", process.host);
  out.MaybeText("program", process.program);
  out.MaybeText("framework", process.framework);
  if (process.rank) out.Field("rank", *process.rank);
  if (process.world_size) out.Field("world_size", *process.world_size);
  if (!canonical) out.Maybe("cpus", process.cpus);
  if (!canonical && process.clock_residual_ns != 0) {
    out.Ns("residual", process.clock_residual_ns);
  }
  out.MaybeWord("incomplete", !process.complete).End();
  out.Begin("level").Name(process.level);
  if (!canonical && process.recorded_until_ns) {
    out.Ns("until", *process.recorded_until_ns);
  }
  out.MaybeText("reason", process.level_reason).End();
  if (process.host_clock != HostClock::kMeasured) {
    out.Begin("host_clock").Word(ToWord(kClockWords, process.host_clock));
    out.End();
  }
  if (process.sites_wanted != SiteKind::kNone) {
    out.Begin("sites").Plain("wanted",
                             ToWord(kSiteWords, process.sites_wanted));
    out.Plain("taken", ToWord(kSiteWords, process.sites_taken));
    out.MaybeText("reason", process.sites_reason).End();
  }
  if (!canonical && process.per_call_overhead_ns >= 0) {
    out.Begin("overhead").Ns("per_call", process.per_call_overhead_ns);
    out.Ns("collector_cpu", process.collector_cpu_ns).End();
  }
}

void PrintProgram(const Process& process, LinePrinter& out) {
  for (const std::string& argument : process.command) {
    out.Begin("argument").Text("text", argument).End();
  }
  if (process.command_is_cut) out.Begin("argument").Word("cut").End();
  for (const LibraryVersion& version : process.libraries) {
    out.Begin("library").Name(version.library);
    out.Maybe("version", static_cast<int64_t>(version.number));
    out.MaybeText("text", version.text).End();
  }
}

void PrintResources(const Process& process, const ThreadNumbers& threads,
                    bool canonical, LinePrinter& out) {
  for (const ThreadId id : threads.order()) {
    const Thread& thread = process.threads[id.value()];
    out.Begin("thread").Number(threads.Of(id));
    if (!canonical) out.Field("tid", static_cast<int64_t>(thread.tid));
    out.MaybeText("name", thread.name).End();
  }
  for (const Device& device : process.devices) {
    out.Begin("device").Number(device.ordinal).MaybeText("name", device.name);
    out.Word("cc=" + std::to_string(device.compute_major) + "." +
             std::to_string(device.compute_minor));
    out.Maybe("sms", device.sms).Maybe("memory", device.memory_bytes);
    if (!canonical) out.MaybeText("uuid", device.uuid);
    out.MaybeWord("simulated", device.simulated).End();
  }
}

void PrintTotals(const TraceModel& model, const Process& process,
                 const ThreadNumbers& threads, bool canonical,
                 LinePrinter& out) {
  for (const OpenCall& call : process.open_calls) {
    out.Begin("open").Span(call.begin_ns, call.begin_ns);
    out.Field("thread", threads.Of(call.thread));
    out.Name(model.entry_points[call.entry.value()].symbol).End();
  }
  // Of several ranks each has a thread that asks, in real time, how far the
  // collectives are.
  const bool polls = canonical && process.world_size.value_or(1) > 1;
  for (const CountedCall& counted : process.counted) {
    if (polls) break;
    out.Begin("count").Name(model.entry_points[counted.entry.value()].symbol);
    out.Number(static_cast<int64_t>(counted.calls)).End();
  }
  for (const Loss& loss : process.losses) {
    out.Begin("loss").Name(loss.cause);
    out.Number(static_cast<int64_t>(loss.count)).End();
  }
}

}  // namespace

void PrintTrace(const TraceModel& model, const PrintOptions& options,
                TextSink sink, void* context) {
  static constexpr std::string_view kFormats[] = {"dltap", "kineto", "nsys"};
  LinePrinter out(sink, context);
  out.Begin("format").Word(kFormats[static_cast<size_t>(model.format)]).End();
  PrintEntryPoints(model, options.canonical, out);
  PrintOperations(model, out);
  PrintSites(model, out);
  for (const Process& process : model.processes) {
    PrintProcess(process, options.canonical, out);
    if (!options.canonical) PrintProgram(process, out);
    const ThreadNumbers threads(process, options.canonical);
    PrintResources(process, threads, options.canonical, out);
    EventPrinter(model, process, threads, options, out).PrintAll();
    PrintTotals(model, process, threads, options.canonical, out);
    if (out.stopped()) return;
  }
}

}  // namespace dltap::analyzer

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/text/text_definitions.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "analyzer/reader/loss_names.h"
#include "analyzer/reader/text/text_words.h"
#include "shim/specs/words.h"

namespace dltap::analyzer {
namespace {

void OnFormat(TextFields& fields, TextBuilder& builder) {
  static constexpr std::array<std::string_view, 3> kFormats = {
      "dltap", "kineto", "nsys"};
  const auto format = FromWord<SourceFormat>(kFormats, fields.line().Word(0));
  if (!format) fields.Fail("format", fields.line().Word(0));
  builder.model().format = format.value_or(SourceFormat::kDltap);
}

void OnProcess(TextFields& fields, TextBuilder& builder) {
  Process& process = builder.AddProcess();
  process.pid = fields.Int("pid");
  process.host = fields.Text("host");
  process.program = fields.Text("program");
  process.framework = fields.Text("framework");
  const int64_t rank = fields.Int("rank", -1);
  const int64_t world_size = fields.Int("world_size", -1);
  process.cpus = static_cast<int>(fields.Int("cpus"));
  if (rank >= 0) process.rank = static_cast<int>(rank);
  if (world_size >= 0) process.world_size = static_cast<int>(world_size);
  process.clock_residual_ns = fields.Time("residual");
  process.complete = !fields.Flag("incomplete");
}

// One line an argument of the command line; the last may be the flag `cut`.
void OnArgument(TextFields& fields, TextBuilder& builder) {
  if (fields.Flag("cut")) {
    builder.process().command_is_cut = true;
  } else {
    builder.process().command.push_back(fields.Text("text"));
  }
}

void OnLibrary(TextFields& fields, TextBuilder& builder) {
  builder.process().libraries.push_back(
      {std::string(fields.line().Word(0)),
       static_cast<uint64_t>(fields.Int("version")), fields.Text("text")});
}

// site 1 python truncated; its frames are the `frame` lines that follow.
void OnSite(TextFields& fields, TextBuilder& builder) {
  LaunchSite& site = builder.model().sites.emplace_back();
  if (fields.IndexWord(0) != builder.model().sites.size()) {
    fields.Fail("site", "not the next number");
  }
  const auto kind = FromWord<SiteKind>(kSiteWords, fields.line().Word(1));
  if (!kind) fields.Fail("site", fields.line().Word(1));
  site.kind = kind.value_or(SiteKind::kNone);
  site.truncated = fields.Flag("truncated");
}

void OnFrame(TextFields& fields, TextBuilder& builder) {
  if (builder.model().sites.empty()) return fields.Fail("frame", "no site");
  SiteFrame frame;
  frame.function = fields.Text("function");
  frame.place = fields.Text("place");
  frame.detail = fields.Text("detail");
  frame.line = fields.Int("line");
  frame.address = static_cast<uint64_t>(fields.Int("address"));
  builder.model().sites.back().frames.push_back(std::move(frame));
}

void OnSites(TextFields& fields, TextBuilder& builder) {
  Process& process = builder.process();
  process.sites_wanted = fields.Word<SiteKind>("wanted", kSiteWords);
  process.sites_taken = fields.Word<SiteKind>("taken", kSiteWords);
  process.sites_reason = fields.Text("reason");
}

void OnLevel(TextFields& fields, TextBuilder& builder) {
  builder.process().level = fields.line().Word(0);
  builder.process().level_reason = fields.Text("reason");
  if (fields.line().Has("until")) {
    builder.process().recorded_until_ns = fields.Time("until");
  }
}

void OnHostClock(TextFields& fields, TextBuilder& builder) {
  const auto clock = FromWord<HostClock>(kClockWords, fields.line().Word(0));
  if (!clock) fields.Fail("host_clock", fields.line().Word(0));
  builder.process().host_clock = clock.value_or(HostClock::kMeasured);
}

void OnOverhead(TextFields& fields, TextBuilder& builder) {
  builder.process().per_call_overhead_ns = fields.Time("per_call", -1);
  builder.process().collector_cpu_ns = fields.Time("collector_cpu");
}

void OnThread(TextFields& fields, TextBuilder& builder) {
  const ThreadId id = builder.ThreadAt(fields.IndexWord(0));
  Thread& thread = builder.process().threads[id.value()];
  thread.tid = fields.Int("tid", static_cast<int64_t>(thread.tid));
  thread.name = fields.Text("name");
}

void OnDevice(TextFields& fields, TextBuilder& builder) {
  const DeviceId id = builder.DeviceAt(static_cast<int>(fields.IntWord(0)));
  Device& device = builder.process().devices[id.value()];
  device.name = fields.Text("name");
  device.uuid = fields.Text("uuid");
  device.sms = static_cast<int>(fields.Int("sms"));
  device.memory_bytes = fields.Int("memory");
  device.simulated = fields.Flag("simulated");
  const std::string cc = fields.Text("cc", "0.0");
  const char* last = cc.data() + cc.size();
  const auto major = std::from_chars(cc.data(), last, device.compute_major);
  if (major.ptr == last || *major.ptr != '.' ||
      std::from_chars(major.ptr + 1, last, device.compute_minor).ptr != last) {
    fields.Fail("cc", cc);
  }
}

void OnEntry(TextFields& fields, TextBuilder& builder) {
  const EntryPointId id = builder.EntryNamed(fields.line().Word(0));
  builder.model().entry_points[id.value()].library = fields.Text("library");
}

// operation 3 conv_forward storage=f32 batch=8 ... + pointwise ...
void OnOperation(TextFields& fields, TextBuilder& builder) {
  const OperationId id = builder.OperationAt(fields.IndexWord(0));
  if (!id.known()) return fields.Fail("operation", "0");
  opmodel::Operation node;
  const auto kind = specs::FromName<opmodel::OpKind>(fields.line().Word(1));
  if (!kind) fields.Fail("operation", fields.line().Word(1));
  node.kind = kind.value_or(opmodel::OpKind::kUnknown);
  for (TextLine::Field& field : fields.line().fields()) {
    field.used = true;
    const auto type = specs::FromName<opmodel::DType>(field.value);
    const auto cell = specs::FromName<opmodel::RnnCell>(field.value);
    const auto dim = specs::FromName<opmodel::Dim>(field.key);
    const auto value = ParseInteger(field.value);
    if (field.key == "storage" && type) {
      node.storage = *type;
    } else if (field.key == "math" && type) {
      node.math = *type;
    } else if (field.key == "cell" && cell) {
      node.cell = *cell;
    } else if (dim && value) {
      node[*dim] = *value;
    } else {
      fields.Fail(field.key, field.value);
    }
  }
  builder.model().operations[id.value()].push_back(node);
}

// Importers have causes of their own, beside those of losses.h.
void OnLoss(TextFields& fields, TextBuilder& builder) {
  const std::string_view key = fields.line().Word(0);
  const LossName* loss = FindLoss(key);
  builder.process().losses.push_back(
      {std::string(key), std::string(loss == nullptr ? key : loss->meaning),
       static_cast<uint64_t>(fields.IntWord(1))});
}

void OnCount(TextFields& fields, TextBuilder& builder) {
  builder.process().counted.push_back(
      {builder.EntryNamed(fields.line().Word(0)),
       static_cast<uint64_t>(fields.IntWord(1))});
}

struct Row {
  std::string_view kind;
  TextHandler handler;
};
constexpr Row kRows[] = {
    {"format", OnFormat},     {"process", OnProcess},
    {"level", OnLevel},       {"overhead", OnOverhead},
    {"thread", OnThread},     {"device", OnDevice},
    {"entry", OnEntry},       {"operation", OnOperation},
    {"loss", OnLoss},         {"count", OnCount},
    {"argument", OnArgument}, {"library", OnLibrary},
    {"site", OnSite},         {"frame", OnFrame},
    {"sites", OnSites},       {"host_clock", OnHostClock},
};

}  // namespace

TextHandler FindDefinitionHandler(std::string_view kind) {
  for (const Row& row : kRows) {
    if (row.kind == kind) return row.handler;
  }
  return nullptr;
}

}  // namespace dltap::analyzer

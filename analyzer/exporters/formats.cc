// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/formats.h"

#include <map>
#include <string>

#include "analyzer/exporters/chrome_trace.h"
#include "analyzer/exporters/csv_rows.h"
#include "analyzer/exporters/nsys_tables.h"
#include "analyzer/exporters/parquet_table.h"
#include "analyzer/exporters/perfetto_trace.h"
#include "analyzer/exporters/pprof_profile.h"
#include "analyzer/exporters/prometheus.h"
#include "analyzer/exporters/speedscope.h"
#include "analyzer/exporters/table.h"

namespace dltap::analyzer {
namespace {

// "rank-3", or "process-host-41"; no byte that a path takes for more.
std::string FileNameOf(const Process& process) {
  if (process.rank) return "rank-" + std::to_string(*process.rank);
  std::string name = "process-";
  for (const char c : process.host) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       (c >= '0' && c <= '9') || c == '.' || c == '_';
    name += plain ? c : '-';
  }
  return name + (process.host.empty() ? "" : "-") + std::to_string(process.pid);
}

bool HasEvents(const Process& process) {
  return !process.calls.empty() || !process.activities.empty() ||
         !process.ranges.empty();
}

// Processes without events have no file, unless they are all there is.
std::vector<ExportFile> ChromeFiles(const ExportInput& input) {
  std::vector<ExportFile> files;
  std::map<std::string, int> taken;
  const size_t count = input.model.processes.size();
  for (size_t p = 0; p < count; ++p) {
    const Process& process = input.model.processes[p];
    if (!HasEvents(process) && !(files.empty() && p + 1 == count)) continue;
    std::string name = FileNameOf(process);
    const int times = ++taken[name];  // a restarted job has its ranks twice
    if (times > 1) name += "-" + std::to_string(times);
    files.push_back({name + ".json",
                     [&input, p](const ByteSink& sink) {
                       WriteChromeTrace(input, p, sink);
                     },
                     nullptr});
  }
  return files;
}

// One stream for the whole trace.
template <void (*kWrite)(const ExportInput&, const ByteSink&),
          bool kCompressed = false>
std::vector<ExportFile> OneStream(const ExportInput& input) {
  return {{"", [&input](const ByteSink& sink) { kWrite(input, sink); }, nullptr,
           kCompressed}};
}

std::vector<ExportFile> CsvFiles(const ExportInput& input) {
  std::vector<ExportFile> files;
  for (const ExportTable& table : AllTables()) {
    files.push_back({std::string(table.name) + ".csv",
                     [&table, &input](const ByteSink& sink) {
                       WriteCsv(table, input, sink);
                     },
                     nullptr});
  }
  return files;
}

std::vector<ExportFile> ParquetFiles(const ExportInput& input) {
  std::vector<ExportFile> files;
  for (const ExportTable& table : AllTables()) {
    files.push_back({std::string(table.name) + ".parquet", nullptr,
                     [&table, &input](const std::string& path) {
                       return WriteParquet(table, input, path);
                     }});
  }
  return files;
}

std::vector<ExportFile> NsysFile(const ExportInput& input) {
  return {{"", nullptr, [&input](const std::string& path) {
             return WriteNsysTables(input, path);
           }}};
}

constexpr ExportFormat kFormats[] = {
    {"chrome", ".json",
     "as PyTorch's profiler, a file a process: ui.perfetto.dev, HTA",
     ChromeFiles},
    {"perfetto", ".pftrace", "ui.perfetto.dev, with counters",
     OneStream<WritePerfettoTrace>},
    {"parquet", "", "folder of tables: DuckDB, pandas (needs libduckdb.so)",
     ParquetFiles},
    {"csv", "", "folder of tables: DuckDB, pandas, anything", CsvFiles},
    {"nsys", ".sqlite", "SQLite in the tables of nsys export", NsysFile},
    {"pprof", ".pb.gz", "pprof -http, Pyroscope, speedscope",
     OneStream<WritePprof, true>},
    {"speedscope", ".json", "speedscope.app", OneStream<WriteSpeedscope>},
    {"prometheus", ".prom", "node_exporter's textfile collector",
     OneStream<WritePrometheus>},
};

}  // namespace

std::span<const ExportFormat> AllFormats() { return kFormats; }

const ExportFormat* FindFormat(std::string_view name) {
  for (const ExportFormat& format : kFormats) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

}  // namespace dltap::analyzer

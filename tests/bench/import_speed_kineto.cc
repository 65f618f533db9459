// SPDX-License-Identifier: Apache-2.0
// How fast Kineto JSON becomes a model, beside what its parser alone takes.
#include <benchmark/benchmark.h>
#include <simdjson.h>

#include <cstdio>
#include <string>
#include <vector>

#include "analyzer/importers/kineto.h"
#include "tests/bench/import_cost.h"
#include "tests/support/temp_dir.h"

namespace dltap::analyzer {
namespace {

constexpr int kOperators = 100'000;  // each: operator, launch, kernel
constexpr int kEvents = kOperators * 3;

void Append(std::string& json, const char* format, auto... values) {
  char buffer[1024];
  const int bytes = std::snprintf(buffer, sizeof(buffer), format, values...);
  json.append(buffer, static_cast<size_t>(bytes));
}

// Written as PyTorch 2 writes it, with the arguments of a real trace.
void AppendOperator(std::string& json, int i) {
  const double ts = 1419247333000.0 + i * 20.0;
  Append(json,
         R"(  {"ph": "X", "cat": "cpu_op", "name": "aten::linear", "pid": 9, )"
         R"("tid": 9, "ts": %.3f, "dur": 15.250, "args": {"External id": %d, )"
         R"("Record function id": 0, "Sequence number": %d, "Fwd thread id": )"
         R"(0, "Input Dims": [[64, 1024], [1024, 1024], [1024]], "Input type")"
         R"(: ["float", "float", "float"], "Ev Idx": %d}},)"
         "\n",
         ts, i + 1, i, i);
  Append(json,
         R"(  {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", )"
         R"("pid": 9, "tid": 9, "ts": %.3f, "dur": 5.970, "args": {)"
         R"("External id": %d, "cbid": 211, "correlation": %d}},)"
         "\n",
         ts + 5, i + 1, i + 1);
  Append(json,
         R"(  {"ph": "X", "cat": "kernel", "name": )"
         R"("ampere_sgemm_%dx64_tn", "pid": 0, "tid": 7, "ts": %.3f, "dur": )"
         R"(9.136, "args": {"External id": %d, "queued": 0, "device": 0, )"
         R"("context": 1, "stream": 7, "correlation": %d, )"
         R"("registers per thread": 32, "shared memory": 0, "blocks per SM": )"
         R"(4.272727, "warps per SM": 17.090910, "grid": [564, 1, 1], )"
         R"("block": [128, 1, 1], "est. achieved occupancy %%": 27}}%s)"
         "\n",
         32 + i % 8 * 32, ts + 12, i + 1, i + 1,
         i + 1 == kOperators ? "" : ",");
}

const std::string& Json() {
  static const std::string json = [] {
    std::string text =
        "{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0, \"name\": "
        "\"NVIDIA H100\"}],\n \"traceEvents\": [\n";
    for (int i = 0; i < kOperators; ++i) AppendOperator(text, i);
    return text + "]}\n";
  }();
  return json;
}

void ReportRates(benchmark::State& state, const ImportCost& cost) {
  state.SetItemsProcessed(state.iterations() * kEvents);
  state.SetBytesProcessed(state.iterations() * Json().size());
  cost.Report(state, kEvents);
}

// The floor: the parser finds every value, nothing is kept.
void BM_ParseKineto(benchmark::State& state) {
  const simdjson::padded_string text(Json());
  simdjson::dom::parser parser;
  const ImportCost cost;
  for (auto _ : state) {
    simdjson::dom::element root;
    if (parser.parse(text).get(root) != simdjson::SUCCESS) {
      state.SkipWithError("the parser refuses the generated trace");
      return;
    }
    benchmark::DoNotOptimize(root);
  }
  ReportRates(state, cost);
}
BENCHMARK(BM_ParseKineto)->Unit(benchmark::kMillisecond);

void BM_ImportKineto(benchmark::State& state) {
  TempDir dir;
  const std::string path = dir.Write("trace.json", Json());
  const ImportCost cost;
  for (auto _ : state) {
    TraceModel model;
    const absl::Status status = ImportKineto(path, model);
    if (!status.ok() || model.processes.size() != 1 ||
        model.processes[0].activities.size() != kOperators) {
      state.SkipWithError("the generated trace was not imported");
      return;
    }
    benchmark::DoNotOptimize(model);
  }
  ReportRates(state, cost);
}
BENCHMARK(BM_ImportKineto)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace dltap::analyzer

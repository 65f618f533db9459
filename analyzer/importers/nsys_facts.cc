// SPDX-License-Identifier: Apache-2.0
#include "analyzer/importers/nsys_facts.h"

#include <charconv>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "analyzer/importers/simulated_gpu.h"
#include "analyzer/model/nsys_schema.h"
#include "analyzer/model/rank_variables.h"
#include "analyzer/model/simulation_marks.h"

namespace dltap::analyzer {
namespace {

constexpr int64_t kLastOriginNs = 4'000'000'000'000'000'000;  // year 2096

int Number(std::string_view text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// META_DATA_CAPTURE of the process that nsys started.
struct StartedProcess {
  std::string program;
  std::vector<std::string> arguments;
  std::string variables;  // NAME=value\0...
};

// `NAME=nsys::kValue` -> `NAME=value`.
void AddVariable(std::string_view text, std::string& variables) {
  const size_t at = text.find("=\"");
  if (at == std::string_view::npos || !text.ends_with('"')) return;
  absl::StrAppend(&variables, std::string(text.substr(0, at)), "=",
                  std::string(text.substr(at + 2, text.size() - at - 3)));
  variables += '\0';
}

class FactReader {
 public:
  FactReader(NsysDatabase& database, NsysProcesses& processes)
      : database_(database), processes_(processes) {}

  absl::Status Run() {
    for (const auto read :
         {&FactReader::Programs, &FactReader::Threads, &FactReader::Gpus,
          &FactReader::OldGpus, &FactReader::Devices, &FactReader::Started,
          &FactReader::Ranks, &FactReader::Versions}) {
      if (absl::Status s = (this->*read)(); !s.ok()) return s;
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Programs() {
    return database_.Scan(nsys::kProcessTable, {nsys::kGlobalPid, nsys::kName},
                          [this](const NsysRow& row) {
                            NsysProcess* at = processes_.Find(row.IntOr(0, 0));
                            if (at != nullptr)
                              at->process.program = row.Text(1);
                          });
  }

  absl::Status Threads() {
    absl::flat_hash_map<int64_t, std::vector<int64_t>> named;  // by name id
    absl::Status status =
        database_.Scan(nsys::kThreadTable, {nsys::kGlobalTid, nsys::kNameId},
                       [&](const NsysRow& row) {
                         const int64_t tid = row.IntOr(0, 0);
                         if (processes_.Find(tid) != nullptr) {
                           named[row.IntOr(1, -1)].push_back(tid);
                         }
                       });
    if (!status.ok() || named.empty()) return status;
    return database_.Scan(
        nsys::kStringTable, {nsys::kId, nsys::kValue}, [&](const NsysRow& row) {
          const auto it = named.find(row.IntOr(0, -1));
          if (it == named.end()) return;
          for (const int64_t tid : it->second) {
            NsysProcess* at = processes_.Find(tid);
            const ThreadId thread = at->FindThread(tid);
            if (thread.known()) {
              at->process.threads[thread.value()].name = row.Text(1);
            }
          }
        });
  }

  absl::Status Gpus() {
    return database_.Scan(
        nsys::kGpuTable,
        {nsys::kId, nsys::kCuDevice, nsys::kName, nsys::kUuid, nsys::kSmCount,
         nsys::kTotalMemory, nsys::kComputeMajor, nsys::kComputeMinor,
         nsys::kSmMajor, nsys::kSmMinor},
        [this](const NsysRow& row) {
          Device gpu;
          gpu.name = row.Text(2);
          gpu.uuid = Hex(row.Text(3));
          gpu.simulated = IsSimulatedGpu(gpu.uuid);
          gpu.sms = static_cast<int>(row.IntOr(4, 0));
          gpu.memory_bytes = row.IntOr(5, 0);
          gpu.compute_major = static_cast<int>(row.IntOr(6, row.IntOr(8, 0)));
          gpu.compute_minor = static_cast<int>(row.IntOr(7, row.IntOr(9, 0)));
          const int64_t id = row.IntOr(0, -1);
          gpus_[id] = gpu;
          gpu_of_ordinal_[row.IntOr(1, id)] = id;
        });
  }

  // Until the middle of 2021 the table had CUPTI's names.
  absl::Status OldGpus() {
    if (!gpus_.empty()) return absl::OkStatus();
    return database_.Scan(
        nsys::kOldGpuTable,
        {nsys::kDeviceId, nsys::kId, nsys::kName, nsys::kNumMultiprocessors,
         nsys::kGlobalMemorySize, nsys::kComputeCapabilityMajor,
         nsys::kComputeCapabilityMinor},
        [this](const NsysRow& row) {
          Device gpu;
          gpu.name = row.Text(2);
          gpu.sms = static_cast<int>(row.IntOr(3, 0));
          gpu.memory_bytes = row.IntOr(4, 0);
          gpu.compute_major = static_cast<int>(row.IntOr(5, 0));
          gpu.compute_minor = static_cast<int>(row.IntOr(6, 0));
          const int64_t id = row.IntOr(0, row.IntOr(1, -1));
          gpus_[id] = gpu;
          gpu_of_ordinal_[id] = id;
        });
  }

  // "GPU-554a6988-03dd-..." -> hex digits, as the model keeps them.
  static std::string Hex(std::string_view uuid) {
    if (uuid.starts_with("GPU-")) uuid.remove_prefix(4);
    std::string hex;
    for (const char c : uuid) {
      if (c != '-') hex += c;
    }
    return hex;
  }

  // With the table each process has its own numbering (CUDA_VISIBLE_DEVICES);
  // without, the ordinal is the machine's.
  absl::Status Devices() {
    absl::Status status = database_.Scan(
        nsys::kDeviceTable, {nsys::kGpuId, nsys::kCudaId, nsys::kPid},
        [this](const NsysRow& row) {
          if (!row.Int(0) || !row.Int(1) || !row.Int(2)) return;
          of_process_[{*row.Int(2), *row.Int(1)}] = *row.Int(0);
        });
    for (auto& at : processes_.all()) {
      for (Device& device : at->process.devices) {
        const auto own = of_process_.find({at->process.pid, device.ordinal});
        const auto any = gpu_of_ordinal_.find(device.ordinal);
        const bool mapped = own != of_process_.end();
        if (!mapped && (!of_process_.empty() || any == gpu_of_ordinal_.end())) {
          continue;
        }
        const auto gpu = gpus_.find(mapped ? own->second : any->second);
        if (gpu == gpus_.end()) continue;
        const int ordinal = device.ordinal;
        device = gpu->second;
        device.ordinal = ordinal;
      }
    }
    return status;
  }

  // Its variables and arguments are those of a process of ours only where
  // there is no doubt which: one process with events, of the same program.
  absl::Status Started() {
    StartedProcess started;
    absl::Status status =
        database_.Scan(nsys::kCaptureTable, {nsys::kName, nsys::kValue},
                       [&](const NsysRow& row) {
                         const std::string_view name = row.Text(0);
                         if (name == "PROCESS_0:COMMAND")
                           started.program = row.Text(1);
                         if (name.starts_with("PROCESS_0:ARGUMENT_")) {
                           started.arguments.emplace_back(row.Text(1));
                         }
                         if (name == "PROCESS_0:ENVIRONMENT_VARIABLE") {
                           AddVariable(row.Text(1), started.variables);
                         }
                       });
    if (processes_.all().size() != 1) return status;
    Process& only = processes_.all()[0]->process;
    const RankInfo info = ParseRankVariables(started.variables);
    only.rank = info.rank;
    only.world_size = info.world_size;
    if (!started.program.empty() && started.program == only.program) {
      only.command = {started.program};
      only.command.insert(only.command.end(), started.arguments.begin(),
                          started.arguments.end());
    }
    return status;
  }

  absl::Status Ranks() {
    return database_.Scan(nsys::kRankTable, {nsys::kGlobalTid, nsys::kRank},
                          [this](const NsysRow& row) {
                            NsysProcess* at = processes_.Find(row.IntOr(0, 0));
                            if (at == nullptr || !row.Int(1)) return;
                            at->process.rank = static_cast<int>(*row.Int(1));
                          });
  }

  absl::Status Versions() {
    std::string tool;
    HostClock clock = HostClock::kMeasured;
    absl::Status status = database_.Scan(
        nsys::kExportTable, {nsys::kName, nsys::kValue},
        [&](const NsysRow& row) {
          if (row.Text(0) == nsys::kProductVersion) tool = row.Text(1);
          if (row.Text(0) == kHostClockMark && row.Text(1) == kFixedCostsMark)
            clock = HostClock::kFixedCosts;
        });
    if (!status.ok()) return status;
    std::string host;
    uint64_t cuda = 0;
    status = database_.Scan(
        nsys::kSystemTable, {nsys::kName, nsys::kValue},
        [&](const NsysRow& row) {
          if (row.Text(0) == nsys::kHostname) host = row.Text(1);
          if (row.Text(0) == nsys::kDriverVersion) {
            cuda = static_cast<uint64_t>(std::max(0, Number(row.Text(1))));
          }
        });
    for (auto& at : processes_.all()) {
      at->process.host = host;
      at->process.host_clock = clock;
      at->process.framework =
          absl::StrCat("Nsight Systems", tool.empty() ? "" : " ", tool);
      if (cuda != 0) at->process.libraries.push_back({"cuda", cuda, ""});
    }
    return status;
  }

  NsysDatabase& database_;
  NsysProcesses& processes_;
  absl::flat_hash_map<int64_t, Device> gpus_;             // by id
  absl::flat_hash_map<int64_t, int64_t> gpu_of_ordinal_;  // machine-wide
  absl::flat_hash_map<std::pair<int64_t, int64_t>, int64_t> of_process_;
};

}  // namespace

absl::Status AddNsysFacts(NsysDatabase& database, NsysProcesses& processes) {
  return FactReader(database, processes).Run();
}

absl::StatusOr<int64_t> NsysOriginNs(NsysDatabase& database) {
  int64_t origin = 0;
  const absl::Status status = database.Scan(
      nsys::kStartTimeTable, {nsys::kUtcEpochNs}, [&](const NsysRow& row) {
        const int64_t at = row.IntOr(0, 0);
        if (at > 0 && at < kLastOriginNs) origin = at;
      });
  if (!status.ok()) return status;
  return origin;
}

absl::StatusOr<int64_t> NsysOnlyProcess(NsysDatabase& database) {
  constexpr std::pair<std::string_view, std::string_view> kIds[] = {
      {nsys::kKernelTable, nsys::kGlobalPid},
      {nsys::kGraphTable, nsys::kGlobalPid},
      {nsys::kMemcpyTable, nsys::kGlobalPid},
      {nsys::kMemsetTable, nsys::kGlobalPid},
      {nsys::kSyncTable, nsys::kGlobalPid},
      {nsys::kRuntimeTable, nsys::kGlobalTid},
      {nsys::kDriverTable, nsys::kGlobalTid},
      {nsys::kRangeTable, nsys::kGlobalTid}};
  bool is_whole = true;
  for (const auto& [table, id] : kIds) {
    is_whole &= !database.Has(table) || database.Has(table, id);
  }
  if (is_whole) return 0;
  absl::flat_hash_map<uint64_t, int64_t> of_key;
  for (const auto& [table, id] : kIds) {
    const absl::Status status =
        database.Scan(table, {id}, [&of_key](const NsysRow& row) {
          const int64_t global_id = row.IntOr(0, 0);
          const uint64_t key = ProcessKeyOf(global_id);
          if (key != 0) of_key.try_emplace(key, global_id);
        });
    if (!status.ok()) return status;
  }
  return of_key.size() == 1 ? of_key.begin()->second : 0;
}

}  // namespace dltap::analyzer

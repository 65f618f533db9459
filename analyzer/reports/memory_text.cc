// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reports/memory_text.h"

#include <algorithm>
#include <optional>

#include "analyzer/metrics/windows/step_choice.h"
#include "analyzer/reports/count_text.h"
#include "analyzer/reports/render.h"
#include "analyzer/reports/step_lines.h"
#include "analyzer/reports/units.h"

namespace dltap::analyzer {
namespace {

constexpr size_t kFailuresShown = 8;

std::string NameOf(const DeviceMemory& device) {
  const std::string gpu =
      device.ordinal ? " gpu" + std::to_string(*device.ordinal) : " gpu ?";
  const ProcessKey& process = device.processes.front();
  const std::string others =
      device.processes.size() == 1
          ? ""
          : " and " + Count(device.processes.size() - 1, "other process");
  return process.host + ":" + std::to_string(process.pid) + gpu + others;
}

std::string StepText(std::optional<size_t> step, std::optional<StepUse> use) {
  if (!step) return "";
  std::string text = ", step " + std::to_string(*step);
  if (use == StepUse::kUsed) return text;
  return text + " (" + Spoken(Name(*use)) + ")";
}

std::string When(const MemoryLevel& level) {
  std::string text = "at " + Ms(static_cast<double>(level.peak_at_ns)) + " ms";
  text += StepText(level.peak_step, level.peak_step_use);
  if (level.peak_phase) text += ", " + std::string(Name(*level.peak_phase));
  return text;
}

// What of the growth is sure: it is said only where it is above zero.
std::string GrowthText(const MemoryGrowth& growth) {
  return "grows by " + MibText(growth.step_bytes) + " a step (mean within " +
         Fixed(Mebibytes((*growth.ci95_bytes)[0]).value, 1) + " to " +
         MibText((*growth.ci95_bytes)[1]) + ")";
}

bool Grows(const DeviceMemoryFigures& device) {
  return device.growth && device.growth->ci95_bytes &&
         (*device.growth->ci95_bytes)[0] > 0;
}

void AddRow(const std::string& name, const std::string& what,
            const MemoryLevel& level, Table& table) {
  const auto mib = [](int64_t bytes) -> Cell {
    return Mebibytes(static_cast<double>(bytes));
  };
  table.rows.push_back(
      {name, what, mib(level.peak_bytes),
       Milliseconds(static_cast<double>(level.peak_at_ns)),
       level.peak_step ? Cell(static_cast<int64_t>(*level.peak_step))
                       : Cell(Blank{}),
       level.peak_phase ? Cell(std::string(Name(*level.peak_phase)))
                        : Cell(Blank{}),
       mib(level.end_bytes), static_cast<int64_t>(level.taken),
       static_cast<int64_t>(level.given_back)});
}

// At one instant; without what nobody owns.
void AddOwners(const std::string& name, const MemoryShares& owners,
               Table& table) {
  for (size_t i = 0; i < kMemoryOwners; ++i) {
    if (owners.bytes[i] == 0) continue;  // none, or not known
    const std::string what = Spoken(Name(static_cast<MemoryOwner>(i)));
    table.rows.push_back({name, what,
                          Mebibytes(static_cast<double>(owners.bytes[i])),
                          Milliseconds(static_cast<double>(owners.at_ns)),
                          Blank{}, Blank{}, Blank{}, Blank{}, Blank{}});
  }
}

const MemoryLevel& PeakOf(const DeviceMemory& device) {
  return device.tensors ? *device.tensors : device.held;
}

std::string OneFailure(const MemoryFailure& failure) {
  const auto mib = [](int64_t bytes) {
    return MibText(static_cast<double>(bytes));
  };
  std::string text = "an allocation of " + mib(failure.bytes) + " failed at " +
                     Ms(static_cast<double>(failure.at_ns)) + " ms" +
                     StepText(failure.step, failure.step_use);
  if (failure.phase) text += ", " + std::string(Name(*failure.phase));
  if (failure.held_bytes)
    text += ", with " + mib(*failure.held_bytes) + " held";
  if (failure.unused_bytes) {
    text += " (" + mib(*failure.unused_bytes) + " of it in no tensor)";
  }
  if (failure.free_bytes) {
    text += " and " + mib(*failure.free_bytes) + " free";
  } else if (failure.free_most_bytes) {
    text += " and at most " + mib(*failure.free_most_bytes) + " free";
  }
  if (failure.granted_later) text += "; asked for again, it was given";
  return text;
}

// Who owns what at an instant, in one line; empty: nothing is known.
std::string OwnersText(const std::optional<MemoryShares>& owners) {
  std::string text;
  for (size_t i = 0; owners && i < kMemoryOwners; ++i) {
    if (owners->bytes[i] == 0) continue;  // none, or not known
    const std::string what = Spoken(Name(static_cast<MemoryOwner>(i)));
    text += (text.empty() ? "" : ", ") + what + " " +
            MibText(static_cast<double>(owners->bytes[i]));
  }
  return text;
}

// "13 blocks of 6144 MiB (steps 0 to 12)"; empty: no blocks are known.
std::string BlocksText(const std::vector<BlockGroup>& groups) {
  std::string text;
  for (const BlockGroup& group : groups) {
    text += (text.empty() ? "" : ", ") + Count(group.count, "block") + " of " +
            MibText(static_cast<double>(group.block_bytes));
    if (group.first_step && group.last_step) {
      text += *group.first_step == *group.last_step
                  ? " (step " + std::to_string(*group.first_step) + ")"
                  : " (steps " + std::to_string(*group.first_step) + " to " +
                        std::to_string(*group.last_step) + ")";
    }
  }
  return text;
}

// A framework that frees its unused memory asks twice: equal lines are one.
void AddFailures(const std::string& name,
                 const std::vector<MemoryFailure>& failures,
                 std::vector<std::string>& notes) {
  size_t shown = 0;
  for (size_t i = 0; i < failures.size(); ++shown) {
    if (shown == kFailuresShown) {
      notes.push_back(name + ": and more that failed; JSON has them all");
      return;
    }
    const MemoryFailure& failure = failures[i];
    const std::string text = OneFailure(failure);
    const std::string owners = OwnersText(failure.owners);
    const std::string blocks = BlocksText(failure.blocks);
    size_t times = 0;
    while (i < failures.size() && OneFailure(failures[i]) == text &&
           OwnersText(failures[i].owners) == owners &&
           BlocksText(failures[i].blocks) == blocks) {
      ++i;
      ++times;
    }
    notes.push_back(name + ": " + text +
                    (times > 1 ? "; asked for " + Count(times, "time") : ""));
    if (!owners.empty()) notes.push_back("    then held: " + owners);
    if (!blocks.empty()) notes.push_back("    most in " + blocks);
  }
}

}  // namespace

std::string MemoryLine(const MemoryFigures& memory) {
  const auto most = std::max_element(
      memory.devices.begin(), memory.devices.end(),
      [](const DeviceMemoryFigures& a, const DeviceMemoryFigures& b) {
        return a.sums->held.peak_bytes < b.sums->held.peak_bytes;
      });
  if (most == memory.devices.end() || most->sums->held.peak_bytes == 0) {
    return "";
  }
  const DeviceMemory& device = *most->sums;
  std::string text = std::string("  memory ") +
                     (device.is_least ? "at least " : "") +
                     MibText(static_cast<double>(device.held.peak_bytes));
  if (most->peak_share) text += " (" + PercentText(most->peak_share) + ")";
  text += memory.devices.size() > 1 ? " on the GPU with most" : "";
  text += " " + When(device.held);
  if (device.tensors) {
    text += " · in tensors " +
            MibText(static_cast<double>(device.tensors->peak_bytes));
  }
  if (Grows(*most)) text += " · " + GrowthText(*most->growth);
  return text;
}

std::string FailureText(const MemoryFigures& memory) {
  const MemoryFailure* largest = nullptr;
  uint64_t count = 0;
  for (const DeviceMemoryFigures& device : memory.devices) {
    for (const MemoryFailure& failure : device.sums->failures) {
      ++count;
      if (largest == nullptr || failure.bytes > largest->bytes) {
        largest = &failure;
      }
    }
  }
  return OneFailure(*largest) + (count > 1 ? " (the largest of several)" : "");
}

Table MemoryTable(const MemoryFigures& memory) {
  Table table;
  table.columns = {{{"device"}, "device", false},
                   {{"memory"}, "memory", false},
                   {{"peak", "MiB"}, "peak_mib"},
                   {{"at", "ms"}, "peak_at_ms"},
                   {{"step"}, "peak_step"},
                   {{"phase"}, "peak_phase", false},
                   {{"at the end", "MiB"}, "end_mib"},
                   {{"taken"}, "taken"},
                   {{"given back"}, "given_back"}};
  for (const DeviceMemoryFigures& row : memory.devices) {
    const DeviceMemory& device = *row.sums;
    // Nothing of it was seen: there is no least either.
    const bool is_unknown = device.is_least && device.held.taken == 0;
    if (!is_unknown) AddRow(NameOf(device), "held", device.held, table);
    if (device.tensors) {
      AddRow(NameOf(device), "tensors", *device.tensors, table);
    }
    if (device.owners) AddOwners(NameOf(device), *device.owners, table);
    if (device.managed) {
      AddRow(NameOf(device), "managed", *device.managed, table);
    }
  }
  for (const PinnedMemory& pinned : memory.sums->pinned) {
    AddRow(pinned.process.host + ":" + std::to_string(pinned.process.pid),
           "pinned", pinned.level, table);
  }
  return table;
}

std::vector<std::string> MemoryNotes(const MemoryFigures& memory) {
  std::vector<std::string> notes;
  for (const DeviceMemoryFigures& row : memory.devices) {
    const DeviceMemory& device = *row.sums;
    const std::string name = NameOf(device);
    if (!device.ordinal) {
      notes.push_back(name + ": the trace does not tell the device");
    }
    if (device.owners && row.owned_of_bytes) {
      notes.push_back(name + ": " + PercentText(row.owner_known_share) +
                      " of the " +
                      MibText(static_cast<double>(*row.owned_of_bytes)) + " " +
                      (device.tensors ? "in tensors" : "held") + " at " +
                      Ms(static_cast<double>(device.owners->at_ns)) +
                      " ms have a known owner");
    }
    if (device.step_owners) {
      notes.push_back(name +
                      ": known to be in use in the last used step when " +
                      "that is most, at " +
                      Ms(static_cast<double>(device.step_owners->at_ns)) +
                      " ms: " + OwnersText(device.step_owners));
    }
    const std::string blocks = BlocksText(device.blocks);
    if (!blocks.empty()) {
      notes.push_back(name + ": most of it " +
                      (device.tensors ? "in tensors" : "held") + " at " +
                      Ms(static_cast<double>(PeakOf(device).peak_at_ns)) +
                      " ms: " + blocks);
    }
    if (device.is_least) {
      notes.push_back(name +
                      ": more was held than the calls that were recorded took");
    }
    if (device.captured > 0) {
      notes.push_back(name + ": " + Count(device.captured, "allocation") +
                      " of graphs not counted");
    }
    if (Grows(row)) notes.push_back(name + ": " + GrowthText(*row.growth));
    AddFailures(name, device.failures, notes);
  }
  if (memory.sums->without_addresses > 0) {
    notes.push_back(Count(memory.sums->without_addresses, "process") +
                    " recorded without addresses: what was held is unknown");
  }
  return notes;
}

}  // namespace dltap::analyzer

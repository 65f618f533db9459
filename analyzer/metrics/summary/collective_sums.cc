// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/summary/collective_sums.h"

#include <algorithm>
#include <utility>

#include "analyzer/metrics/collectives/clock_alignment.h"
#include "analyzer/metrics/collectives/communicator_name.h"
#include "opmodel/gpu_table.h"

namespace dltap::analyzer {
namespace {

constexpr double kNsPerSecond = 1e9;
constexpr int64_t kBitsPerByte = 8;

// Disjoint and in time.
std::vector<Interval> United(std::vector<Interval> spans) {
  std::sort(spans.begin(), spans.end());
  std::vector<Interval> out;
  for (const Interval& span : spans) {
    if (span.length_ns() <= 0) continue;
    if (out.empty() || span.begin_ns > out.back().end_ns) {
      out.push_back(span);
    } else {
      out.back().end_ns = std::max(out.back().end_ns, span.end_ns);
    }
  }
  return out;
}

// The part of `span` in `spans`, which are disjoint and in time.
int64_t InsideNs(const std::vector<Interval>& spans, Interval span) {
  auto it = std::lower_bound(
      spans.begin(), spans.end(), span.begin_ns,
      [](const Interval& s, int64_t at) { return s.end_ns <= at; });
  int64_t ns = 0;
  for (; it != spans.end() && it->begin_ns < span.end_ns; ++it) {
    ns += CommonNs(*it, span);
  }
  return ns;
}

int64_t InsideNs(const std::vector<Interval>& spans,
                 const std::vector<Interval>& others) {
  int64_t ns = 0;
  for (const Interval& other : others) ns += InsideNs(spans, other);
  return ns;
}

// Waiting, and what comes after it.
std::pair<Interval, Interval> PartsOf(const CollectiveRun& run,
                                      const MatchedRun& matched) {
  const int64_t all_there = run.span.begin_ns + matched.waited_ns;
  return {{run.span.begin_ns, all_there}, {all_there, run.span.end_ns}};
}

// The elements of what nccl-tests call the size: the larger of a rank's input
// and output.
std::optional<int64_t> ElementsOf(const CollectiveRun& run, int ranks) {
  const auto times_ranks =
      [ranks](std::optional<int64_t> part) -> std::optional<int64_t> {
    if (!part || ranks == 0) return std::nullopt;
    return *part * ranks;
  };
  if (!run.kind) return std::nullopt;
  switch (*run.kind) {
    case CollectiveKind::kAllGather:
      return run.elements_out ? run.elements_out : times_ranks(run.elements_in);
    case CollectiveKind::kReduceScatter:
      return run.elements_in ? run.elements_in : times_ranks(run.elements_out);
    case CollectiveKind::kGather: return times_ranks(run.elements_in);
    case CollectiveKind::kScatter:
      return times_ranks(run.elements_out ? run.elements_out : run.elements_in);
    case CollectiveKind::kSendReceive:
      return std::max(run.elements_in, run.elements_out);
    default: return run.elements_in;
  }
}

// Of what joins the ranks, as far as the table of GPUs knows; 0: not. Several
// hosts are joined by a network that no trace names.
double LinkBytesPerNs(const TraceModel& model, const CollectiveRuns& runs,
                      const Communicator& communicator) {
  double slowest = 0;
  for (const size_t member : communicator.members) {
    const LocalCommunicator& local = runs.locals[member];
    const Process& process = model.processes[local.process];
    const LocalCommunicator& first = runs.locals[communicator.members.front()];
    if (process.host.empty() ||
        process.host != model.processes[first.process].host) {
      return 0;
    }
    const opmodel::GpuSpec* gpu =
        opmodel::FindGpuByProduct(process.devices[local.device.value()].name);
    if (gpu == nullptr || !communicator.is_whole()) return 0;
    const double bandwidth =
        opmodel::LinkBandwidth(opmodel::DefaultLink(*gpu), *gpu) / kNsPerSecond;
    if (slowest == 0 || bandwidth < slowest) slowest = bandwidth;
  }
  return slowest;
}

}  // namespace

std::optional<int64_t> BytesOf(const CollectiveRun& run, int ranks) {
  const int bits = opmodel::BitsOf(run.dtype);
  const auto elements = ElementsOf(run, ranks);
  if (bits == 0 || !elements) return std::nullopt;
  return *elements * bits / kBitsPerByte;
}

void CollectiveSums::Add(const CollectiveSums& other) {
  count += other.count;
  gpu.Add(other.gpu);
  exposed_ns += other.exposed_ns;
  bytes += other.bytes;
  bus_bytes += other.bus_bytes;
  with_bus += other.with_bus;
  link_ns_x_peak += other.link_ns_x_peak;
}

void LateSums::Add(const LateSums& other) {
  collectives += other.collectives;
  last += other.last;
  late_ns += other.late_ns;
  waited_ns += other.waited_ns;
  others_waited_ns += other.others_waited_ns;
}

void CollectiveTallies::Add(const CollectiveTallies& other) {
  for (const auto& [key, sums] : other.rows) rows[key].Add(sums);
  for (const auto& [name, sums] : other.communicators) {
    CommunicatorSums& into = communicators[name];
    into.ranks = std::max(into.ranks, sums.ranks);
    into.seen = std::max(into.seen, sums.seen);
    into.ambiguous = into.ambiguous || sums.ambiguous;
  }
  for (const auto& [key, sums] : other.ranks) ranks[key].Add(sums);
  residual_ns = std::max(residual_ns, other.residual_ns);
}

CollectiveKeeper::CollectiveKeeper(const TraceModel& model, CollectiveRuns runs,
                                   CollectiveTallies& out)
    : model_(model),
      runs_(std::move(runs)),
      matches_(MatchCollectives(model, runs_)),
      names_(CommunicatorNames(model, runs_, matches_)),
      out_(out) {
  out_.residual_ns = matches_.residual_ns;
  for (const Communicator& communicator : matches_.communicators) {
    link_bytes_per_ns_.push_back(LinkBytesPerNs(model, runs_, communicator));
  }
}

std::vector<std::vector<CollectivePart>> CollectiveKeeper::Parts() const {
  std::vector<std::vector<CollectivePart>> parts(model_.processes.size());
  for (size_t i = 0; i < runs_.runs.size(); ++i) {
    const CollectiveRun& run = runs_.runs[i];
    const MatchedRun& matched = matches_.runs[i];
    if (matched.collective == MatchedRun::kNoCollective || !EndsForAll(run)) {
      continue;
    }
    parts[runs_.locals[run.local].process].push_back(
        {run.activity, matched.collective, matched.others + 1,
         matched.waited_ns});
  }
  return parts;
}

std::vector<size_t> CollectiveKeeper::RunsOn(
    const PhysicalDevice& device) const {
  std::vector<size_t> found;
  for (const LocalCommunicator& local : runs_.locals) {
    const bool is_on =
        std::any_of(device.begin(), device.end(), [&](const auto& member) {
          return member.process == local.process &&
                 member.device == local.device;
        });
    if (is_on) found.insert(found.end(), local.runs.begin(), local.runs.end());
  }
  return found;
}

CommTimes CollectiveKeeper::AddDevice(const PhysicalDevice& device,
                                      const std::vector<Interval>& windows,
                                      const std::vector<Interval>& exposed) {
  const std::vector<Interval> bare = United(exposed);
  std::vector<Interval> waiting;
  std::vector<Interval> transfer;
  std::vector<Interval> unknown;
  for (const size_t run : RunsOn(device)) {
    const auto [before, after] = PartsOf(runs_.runs[run], matches_.runs[run]);
    waiting.push_back(before);
    (matches_.runs[run].is_whole ? transfer : unknown).push_back(after);
    AddRun(run, windows, bare);
  }
  // Of several kernels at once the one that does most counts.
  const int64_t moving = InsideNs(United(transfer), bare);
  transfer.insert(transfer.end(), unknown.begin(), unknown.end());
  const int64_t not_waiting = InsideNs(United(transfer), bare);
  transfer.insert(transfer.end(), waiting.begin(), waiting.end());
  const int64_t any = InsideNs(United(transfer), bare);
  int64_t all = 0;
  for (const Interval& span : bare) all += span.length_ns();
  return {any - not_waiting, moving, all - any + not_waiting - moving};
}

void CollectiveKeeper::AddRun(size_t index,
                              const std::vector<Interval>& windows,
                              const std::vector<Interval>& exposed) {
  const CollectiveRun& run = runs_.runs[index];
  const MatchedRun& matched = matches_.runs[index];
  if (InsideNs(windows, run.span) <= 0) return;
  const Communicator& communicator =
      matches_.communicators[matched.communicator];
  const CollectiveKey key = KeyOf(index);
  CollectiveSums sums;
  sums.count = 1;
  const auto [before, after] = PartsOf(run, matched);
  sums.gpu.waiting_ns = InsideNs(windows, before);
  const int64_t moving = InsideNs(windows, after);
  (matched.is_whole ? sums.gpu.transfer_ns : sums.gpu.unknown_ns) = moving;
  sums.exposed_ns = InsideNs(exposed, run.span);
  if (key.bytes) {
    sums.bytes = static_cast<double>(*key.bytes);
    if (communicator.ranks > 1) {
      sums.bus_bytes =
          sums.bytes * opmodel::BusFactor(*run.kind, communicator.ranks);
      sums.with_bus = 1;
    }
  }
  sums.link_ns_x_peak =
      static_cast<double>(moving) * link_bytes_per_ns_[matched.communicator];
  out_.rows[key].Add(sums);
  out_.communicators[key.communicator] = {
      communicator.ranks, communicator.members.size(), communicator.ambiguous};
  AddRank(index);
}

void CollectiveKeeper::AddRank(size_t index) {
  const MatchedRun& matched = matches_.runs[index];
  if (matched.others == 0) return;
  const LocalCommunicator& local = runs_.locals[runs_.runs[index].local];
  const Process& process = model_.processes[local.process];
  LateSums& sums =
      out_.ranks[{names_[matched.communicator], dltap::analyzer::KeyOf(process),
                  process.devices[local.device.value()].ordinal}];
  sums.Add({1, matched.was_last ? uint64_t{1} : 0, matched.late_ns,
            matched.waited_ns, matched.others_waited_ns});
}

CollectiveKey CollectiveKeeper::KeyOf(size_t index) const {
  const CollectiveRun& run = runs_.runs[index];
  const size_t c = matches_.runs[index].communicator;
  CollectiveKey key;
  key.kind = run.kind ? Name(*run.kind) : std::string_view();
  key.communicator = names_[c];
  if (opmodel::BitsOf(run.dtype) == 0) return key;
  key.dtype = specs::Name(run.dtype);
  key.bytes = BytesOf(run, matches_.communicators[c].ranks);
  return key;
}

}  // namespace dltap::analyzer

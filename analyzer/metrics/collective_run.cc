// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/collective_run.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "analyzer/attribution/range_index.h"
#include "analyzer/metrics/collective_calls.h"
#include "analyzer/metrics/collective_records.h"
#include "analyzer/metrics/local_communicators.h"
#include "shim/specs/entry_point.h"

namespace dltap::analyzer {
namespace {

void Add(std::optional<int64_t>& sum, std::optional<int64_t> more) {
  if (sum || more) sum = sum.value_or(0) + more.value_or(0);
}

// The kernels of one process.
class Finder {
 public:
  Finder(const TraceModel& model, size_t index,
         const ProcessAttribution& attribution, CollectiveRuns& out)
      : model_(model),
        process_(model.processes[index]),
        index_(index),
        attribution_(attribution),
        made_(model, process_),
        ranges_(process_),
        out_(out) {}

  void Run() {
    std::map<std::pair<size_t, size_t>, std::vector<size_t>> of_call;
    for (size_t i = 0; i < process_.activities.size(); ++i) {
      const Attributed& attributed = attribution_.activities[i];
      if (attributed.layer_class != LayerClass::kComm) continue;
      if (process_.activities[i].kind != ActivityKind::kKernel) continue;
      const CallId owner = attributed.owner;
      if (owner.known() && EntryOf(owner.value()).info != nullptr &&
          EntryOf(owner.value()).info->library == specs::Library::kNccl) {
        of_call[{attributed.submitted_by.known()
                     ? attributed.submitted_by.value()
                     : owner.value(),
                 owner.value()}]
            .push_back(i);
      } else {
        AddImported(i);
      }
    }
    std::set<size_t> with_kernels;
    for (auto& [calls, kernels] : of_call) {
      AddOfCall(calls.first, calls.second, kernels);
      with_kernels.insert(calls.second);
    }
    for (const size_t call : StartingCalls(model_, process_)) {
      if (!with_kernels.contains(call)) AddUnended(call);
    }
  }

 private:
  const EntryPoint& EntryOf(size_t call) const {
    return model_.entry_points[process_.calls[call].entry.value()];
  }
  std::string_view NameOf(size_t activity) const {
    return model_.texts[process_.activities[activity].name];
  }

  CollectiveKind KindOf(const WantedCollective& wanted) const {
    return CollectiveNamed(EntryOf(wanted.call).symbol)
        .value_or(CollectiveKind::kAllReduce);
  }

  // One kernel for each communicator, in the order of the calls; or one for
  // each call. Else it is not known which kernel does what.
  void AddOfCall(size_t submitting, size_t call,
                 const std::vector<size_t>& kernels) {
    const std::vector<WantedCollective> wanted =
        WantedBy(model_, process_, call);
    std::vector<std::vector<WantedCollective>> parts = ByCommunicator(wanted);
    if (parts.size() != kernels.size() && wanted.size() == kernels.size()) {
      parts.clear();
      for (const WantedCollective& one : wanted) parts.push_back({one});
    }
    std::vector<size_t> in_order = kernels;
    std::stable_sort(in_order.begin(), in_order.end(), [this](auto a, auto b) {
      return process_.activities[a].correlation <
             process_.activities[b].correlation;
    });
    const bool is_known = parts.size() == kernels.size();
    for (size_t k = 0; k < in_order.size(); ++k) {
      if (is_known) {
        CollectiveRun run = RunOf(in_order[k]);
        run.called_ns = process_.calls[submitting].begin_ns;
        AddOwn(std::move(run), process_.activities[in_order[k]].device,
               parts[k], process_.calls[call].begin_ns);
      } else {
        AddNamed(in_order[k]);
      }
    }
  }

  // What has no kernel in the trace: its communicator's others tell the device,
  // else the only one that the process works on.
  void AddUnended(size_t call) {
    const int64_t called_ns = process_.calls[call].begin_ns;
    for (const auto& parts : ByCommunicator(WantedBy(model_, process_, call))) {
      const DeviceId device = DeviceOf(KeyOf(parts.front().handle, called_ns));
      if (!device.known()) continue;
      CollectiveRun run{{called_ns, called_ns}, 0, std::nullopt};
      run.called_ns = called_ns;
      run.ended = false;
      AddOwn(std::move(run), device, parts, called_ns);
    }
  }

  DeviceId DeviceOf(const std::string& key) const {
    for (const auto& [known, local] : locals_) {
      if (known.second == key) return out_.locals[local].device;
    }
    DeviceId only;
    for (const Activity& activity : process_.activities) {
      if (only.known() && activity.device != only) return {};
      only = activity.device;
    }
    return only;
  }

  // The communicator that has the handle then.
  std::string KeyOf(uint64_t handle, int64_t at_ns) const {
    const MadeCommunicator* made = made_.At(handle, at_ns);
    return "handle " + std::to_string(handle) +
           (made == nullptr ? "" : " " + std::to_string(made->begin_ns));
  }

  void AddOwn(CollectiveRun run, DeviceId device,
              const std::vector<WantedCollective>& parts, int64_t called_ns) {
    const WantedCollective& first = parts.front();
    run.kind = KindOf(first);
    run.dtype = first.dtype;
    run.root = first.root;
    for (const WantedCollective& one : parts) {
      if (KindOf(one) != KindOf(first)) {
        run.kind =
            run.ended ? CollectiveNamed(NameOf(run.activity)) : std::nullopt;
      }
      if (one.root != first.root) run.root = -1;
      if (one.dtype != first.dtype) run.dtype = opmodel::DType::kUnknown;
      Add(run.elements_in, one.elements_in);
      Add(run.elements_out, one.elements_out);
      if (one.peer >= 0) run.peers.push_back(one.peer);
    }
    std::sort(run.peers.begin(), run.peers.end());
    run.peers.erase(std::unique(run.peers.begin(), run.peers.end()),
                    run.peers.end());
    const MadeCommunicator* made = made_.At(first.handle, called_ns);
    LocalCommunicator local{index_, device, ""};
    if (made != nullptr) {
      local.id = made->id;
      local.ranks = made->ranks;
      local.rank = made->rank;
      local.made_ns = made->begin_ns;
    }
    // Its count is that of one peer.
    if (parts.size() == 1 && run.kind == CollectiveKind::kAllToAll) {
      run.elements_in = local.ranks > 0 && run.elements_in
                            ? std::optional(*run.elements_in * local.ranks)
                            : std::nullopt;
    }
    // All sends and receives between all ranks are one thing.
    if (run.kind == CollectiveKind::kSendReceive && local.ranks > 2 &&
        static_cast<int>(run.peers.size()) >= local.ranks - 1) {
      run.kind = CollectiveKind::kAllToAll;
      run.peers.clear();
    }
    AddTo(KeyOf(first.handle, called_ns), local, std::move(run));
  }

  // By what the source tells of it, else by its name and its annotation.
  void AddImported(size_t activity) {
    const uint64_t correlation = process_.activities[activity].correlation;
    const auto it = std::lower_bound(
        process_.collectives.begin(), process_.collectives.end(), correlation,
        [](const CollectiveRecord& record, uint64_t wanted) {
          return record.correlation < wanted;
        });
    if (correlation == 0 || it == process_.collectives.end() ||
        it->correlation != correlation) {
      return AddNamed(activity);
    }
    CollectiveRun run = RunOf(activity);
    run.kind = CollectiveNamed(model_.texts[it->name]);
    run.dtype = it->dtype;
    if (it->elements_in >= 0) run.elements_in = it->elements_in;
    if (it->elements_out >= 0) run.elements_out = it->elements_out;
    run.sequence = it->sequence;
    LocalCommunicator local{index_, process_.activities[activity].device,
                            std::string(model_.texts[it->communicator]),
                            it->ranks};
    const std::string key =
        it->communicator.known() ? "group " + local.id : StreamKey(activity);
    AddTo(key, local, std::move(run));
  }

  void AddNamed(size_t activity) {
    CollectiveRun run = RunOf(activity);
    run.kind = CollectiveNamed(NameOf(activity));
    const RangeId range = AnnotationOf(activity);
    if (range.known()) {
      const Range& of = process_.ranges[range.value()];
      run.kind = CollectiveNamed(model_.texts[of.name]);
      if (of.operation.known()) {
        const opmodel::Operation& op =
            model_.operations[of.operation.value()].front();
        run.elements_in = op[opmodel::Dim::kElementsIn];
        run.dtype = op.storage;
      }
    }
    AddTo(StreamKey(activity),
          {index_, process_.activities[activity].device, ""}, std::move(run));
  }

  // "nccl:all_reduce", where the kernel was launched.
  RangeId AnnotationOf(size_t activity) const {
    const CallId call = attribution_.activities[activity].submitted_by;
    if (!call.known()) return {};
    const Call& of = process_.calls[call.value()];
    RangeId range = ranges_.InnermostAt(of.thread, of.begin_ns);
    while (range.known() &&
           !model_.texts[process_.ranges[range.value()].name].starts_with(
               "nccl:")) {
      range = ranges_.ParentOf(range);
    }
    return range;
  }

  // Where communicators are not known each has a stream, as far as we see.
  std::string StreamKey(size_t activity) const {
    return "stream " +
           std::to_string(process_.activities[activity].stream.value());
  }

  CollectiveRun RunOf(size_t activity) const {
    const Activity& of = process_.activities[activity];
    CollectiveRun run{{of.begin_ns, of.end_ns}, 0, std::nullopt};
    run.activity = static_cast<uint32_t>(activity);
    return run;
  }

  void AddTo(const std::string& key, const LocalCommunicator& local,
             CollectiveRun run) {
    const auto [it, is_new] =
        locals_.try_emplace({local.device.value(), key}, out_.locals.size());
    if (is_new) out_.locals.push_back(local);
    run.local = it->second;
    (run.ended ? out_.runs : out_.unended).push_back(std::move(run));
  }

  const TraceModel& model_;
  const Process& process_;
  const size_t index_;
  const ProcessAttribution& attribution_;
  const LocalCommunicators made_;
  const RangeIndex ranges_;
  CollectiveRuns& out_;
  std::map<std::pair<size_t, std::string>, size_t> locals_;
};

// Its kernels, or calls whose kernels never ended.
bool MayHaveCollectives(const TraceModel& model,
                        const ProcessAttribution& attribution) {
  const auto is_comm = [](const Attributed& of) {
    return of.layer_class == LayerClass::kComm;
  };
  const auto is_nccl = [](const EntryPoint& entry) {
    return entry.info != nullptr &&
           entry.info->library == specs::Library::kNccl;
  };
  return std::any_of(attribution.activities.begin(),
                     attribution.activities.end(), is_comm) ||
         (!attribution.activities.empty() &&
          std::any_of(model.entry_points.begin(), model.entry_points.end(),
                      is_nccl));
}

// All ranks run what a communicator does in one order: that of the calls where
// some have no kernel.
void Number(const std::vector<CollectiveRun*>& runs, int64_t known_until_ns) {
  int64_t collectives = 0;
  std::map<std::pair<int, bool>, int64_t> transfers;
  for (CollectiveRun* run : runs) {
    if (run->called_ns >= known_until_ns) continue;
    if (run->peers.empty()) {
      run->nth = collectives++;
    } else if (run->peers.size() == 1 &&
               (run->only_sends() || run->only_receives())) {
      run->nth = transfers[{run->peers.front(), run->only_sends()}]++;
    }
  }
}

void NumberAll(const TraceModel& model, CollectiveRuns& out) {
  std::vector<std::vector<CollectiveRun*>> of_local(out.locals.size());
  for (CollectiveRun& run : out.runs) of_local[run.local].push_back(&run);
  std::set<size_t> by_call;
  for (CollectiveRun& run : out.unended) {
    of_local[run.local].push_back(&run);
    by_call.insert(run.local);
  }
  for (const size_t local : by_call) {
    std::stable_sort(of_local[local].begin(), of_local[local].end(),
                     [](const CollectiveRun* a, const CollectiveRun* b) {
                       return a->called_ns < b->called_ns;
                     });
  }
  for (size_t local = 0; local < out.locals.size(); ++local) {
    const LocalCommunicator& of = out.locals[local];
    if (!of.made_ns) continue;
    Number(of_local[local],
           CallsKnownUntil(model.processes[of.process], *of.made_ns));
  }
}

// NCCL starts nothing for no elements, and copies where a rank is alone.
bool HasKernel(const CollectiveRun& run, const LocalCommunicator& local) {
  const bool is_empty = run.elements_in.value_or(0) == 0 &&
                        run.elements_out.value_or(0) == 0 &&
                        (run.elements_in || run.elements_out);
  return local.ranks != 1 && !is_empty;
}

// Takes out of `unended` those of which a missing kernel says nothing: that end
// where kernels were not recorded, or have none at all. One that is followed by
// one with an end stays: its place among them is known.
void KeepUnended(const TraceModel& model, CollectiveRuns& runs) {
  std::vector<int64_t> last_ended_ns(runs.locals.size(),
                                     std::numeric_limits<int64_t>::min());
  for (const CollectiveRun& run : runs.runs) {
    int64_t& last_ns = last_ended_ns[run.local];
    last_ns = std::max(last_ns, run.called_ns);
  }
  std::erase_if(runs.unended, [&](const CollectiveRun& run) {
    const LocalCommunicator& local = runs.locals[run.local];
    if (!HasKernel(run, local)) return true;
    return run.called_ns > last_ended_ns[run.local] &&
           !EndsAreRecordedSince(model.processes[local.process], local.device,
                                 run.called_ns);
  });
}

}  // namespace

CollectiveRuns FindCollectives(const TraceModel& model,
                               const Attribution& attribution) {
  CollectiveRuns out;
  for (size_t p = 0; p < model.processes.size(); ++p) {
    if (!MayHaveCollectives(model, attribution.processes[p])) continue;
    Finder(model, p, attribution.processes[p], out).Run();
  }
  std::stable_sort(out.runs.begin(), out.runs.end(),
                   [](const CollectiveRun& a, const CollectiveRun& b) {
                     return std::tie(a.local, a.span) <
                            std::tie(b.local, b.span);
                   });
  for (size_t i = 0; i < out.runs.size(); ++i) {
    out.locals[out.runs[i].local].runs.push_back(i);
  }
  NumberAll(model, out);
  KeepUnended(model, out);
  return out;
}

}  // namespace dltap::analyzer

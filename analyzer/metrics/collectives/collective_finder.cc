// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/collectives/collective_finder.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "analyzer/attribution/base/range_index.h"
#include "analyzer/metrics/collectives/collective_calls.h"
#include "shim/specs/entry_point.h"

namespace dltap::analyzer {
namespace {

void Add(std::optional<int64_t>& sum, std::optional<int64_t> more) {
  if (sum || more) sum = sum.value_or(0) + more.value_or(0);
}

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
  return std::ranges::any_of(attribution.activities, is_comm) ||
         std::ranges::any_of(model.entry_points, is_nccl);
}

// The communicator that has the handle then.
std::string KeyOf(uint64_t handle, const MadeCommunicator* made) {
  return "handle " + std::to_string(handle) +
         (made == nullptr ? "" : " " + std::to_string(made->begin_ns));
}

}  // namespace

// Goes through the events that are in memory.
class CollectiveFinder::Part {
 public:
  Part(const Process& process, const ProcessAttribution& attribution,
       const CountedPart& part, CollectiveFinder& finder)
      : model_(finder.model_),
        process_(process),
        attribution_(attribution),
        part_(part),
        ranges_(process_),
        finder_(finder) {}

  void Run() {
    std::map<std::pair<size_t, size_t>, std::vector<size_t>> of_call;
    for (size_t i = 0; i < process_.activities.size(); ++i) {
      finder_.has_work_[process_.activities[i].device.value()] = true;
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
      if (with_kernels.contains(call)) continue;
      if (part_.host.Holds(process_.calls[call].begin_ns)) AddUnended(call);
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
        AddOwn(std::move(run), parts[k], process_.calls[call].begin_ns);
      } else {
        AddNamed(in_order[k]);
      }
    }
  }

  void AddUnended(size_t call) {
    const int64_t called_ns = process_.calls[call].begin_ns;
    for (const auto& parts : ByCommunicator(WantedBy(model_, process_, call))) {
      CollectiveRun run{{called_ns, called_ns}, 0, std::nullopt};
      run.called_ns = called_ns;
      run.ended = false;
      AddOwn(std::move(run), parts, called_ns);
    }
  }

  void AddOwn(CollectiveRun run, const std::vector<WantedCollective>& parts,
              int64_t called_ns) {
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
      ::dltap::analyzer::Add(run.elements_in, one.elements_in);
      ::dltap::analyzer::Add(run.elements_out, one.elements_out);
      if (one.peer < 0) continue;
      run.messages.push_back({one.peer, one.elements_in.has_value()});
      run.peers.push_back(one.peer);
    }
    std::sort(run.peers.begin(), run.peers.end());
    run.peers.erase(std::unique(run.peers.begin(), run.peers.end()),
                    run.peers.end());
    const MadeCommunicator* made = finder_.made_.At(first.handle, called_ns);
    LocalCommunicator local{finder_.index_, DeviceId(), ""};
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
    if (run.kind == CollectiveKind::kSendReceive && IsWithAll(run, local)) {
      run.kind = CollectiveKind::kAllToAll;
      run.messages.clear();
      run.peers.clear();
    }
    const std::string key = KeyOf(first.handle, made);
    if (run.ended) {
      AddTo(key, std::move(local), std::move(run));
    } else {
      finder_.unended_.push_back({key, std::move(local), std::move(run)});
    }
  }

  // All sends and receives between all ranks are one thing. Of three in a row
  // the middle one has both others for neighbours; an all-to-all is with itself
  // as well.
  static bool IsWithAll(const CollectiveRun& run,
                        const LocalCommunicator& local) {
    const auto peers = static_cast<int>(run.peers.size());
    return local.ranks > 2 &&
           peers >= (local.ranks == 3 ? local.ranks : local.ranks - 1);
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
    LocalCommunicator local{finder_.index_, DeviceId(),
                            std::string(model_.texts[it->communicator]),
                            it->ranks};
    const std::string key =
        it->communicator.known() ? "group " + local.id : StreamKey(activity);
    AddTo(key, std::move(local), std::move(run));
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
    AddTo(StreamKey(activity), {finder_.index_, DeviceId(), ""},
          std::move(run));
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

  // A kernel, on the device that it ran on.
  void AddTo(const std::string& key, LocalCommunicator local,
             CollectiveRun run) {
    const Activity& of = process_.activities[run.activity];
    const size_t device = of.device.value();
    if (device < part_.devices.size() &&
        !part_.devices[device].Holds(of.begin_ns)) {
      return;
    }
    local.device = of.device;
    run.local = finder_.LocalOf(key, local);
    finder_.out_.runs.push_back(std::move(run));
  }

  const TraceModel& model_;
  const Process& process_;
  const ProcessAttribution& attribution_;
  const CountedPart& part_;
  const RangeIndex ranges_;
  CollectiveFinder& finder_;
};

void CollectiveFinder::Add(const Process& process,
                           const ProcessAttribution& attribution,
                           const CountedPart& part) {
  if (!MayHaveCollectives(model_, attribution)) return;
  made_.Add(model_, process, part.host);
  Part(process, attribution, part, *this).Run();
}

size_t CollectiveFinder::LocalOf(const std::string& key,
                                 const LocalCommunicator& local) {
  const auto [it, is_new] =
      locals_.try_emplace({local.device.value(), key}, out_.locals.size());
  if (is_new) out_.locals.push_back(local);
  return it->second;
}

// Of what has no kernel in the trace: its communicator's others tell, else the
// only device that the process works on.
DeviceId CollectiveFinder::DeviceOf(const std::string& key) const {
  for (const auto& [known, local] : locals_) {
    if (known.second == key) return out_.locals[local].device;
  }
  if (std::ranges::count(has_work_, true) != 1) return {};
  return DeviceId(static_cast<size_t>(std::ranges::find(has_work_, true) -
                                      has_work_.begin()));
}

CollectiveRuns CollectiveFinder::Take() {
  std::set<std::pair<size_t, int64_t>> ended;  // communicator, call
  if (!unended_.empty()) {
    for (const CollectiveRun& run : out_.runs) {
      ended.emplace(run.local, run.called_ns);
    }
  }
  for (Unended& unended : unended_) {
    unended.local.device = DeviceOf(unended.key);
    if (!unended.local.device.known()) continue;
    unended.run.local = LocalOf(unended.key, unended.local);
    // A later part has its kernel.
    if (ended.contains({unended.run.local, unended.run.called_ns})) continue;
    out_.unended.push_back(std::move(unended.run));
  }
  return std::move(out_);
}

CollectiveRuns FindCollectives(const TraceModel& model,
                               const Attribution& attribution) {
  std::vector<CollectiveRuns> of_processes;
  for (size_t p = 0; p < model.processes.size(); ++p) {
    if (model.processes[p].activities.empty()) continue;
    CollectiveFinder finder(model, p);
    finder.Add(model.processes[p], attribution.processes[p]);
    of_processes.push_back(finder.Take());
  }
  return JoinRuns(model, std::move(of_processes));
}

}  // namespace dltap::analyzer

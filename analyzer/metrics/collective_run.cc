// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/collective_run.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "analyzer/attribution/dtype_codes.h"
#include "analyzer/attribution/range_index.h"
#include "analyzer/metrics/call_arguments.h"
#include "analyzer/metrics/local_communicators.h"

namespace dltap::analyzer {
namespace {

using opmodel::Dim;

constexpr size_t kLongGroup = 4096;  // calls; of longer ones nothing is known

// One collective, send or receive that a rank asked for.
struct Wanted {
  CollectiveKind kind;
  uint64_t handle = 0;
  opmodel::DType dtype = opmodel::DType::kUnknown;
  std::optional<int64_t> elements_in = std::nullopt;
  std::optional<int64_t> elements_out = std::nullopt;
  int peer = -1;
  int root = -1;
};

bool IsTransfer(const EntryPoint& entry) {
  return entry.info != nullptr &&
         entry.info->library == specs::Library::kNccl &&
         (entry.info->kind == specs::Kind::kCollective ||
          entry.info->kind == specs::Kind::kPointToPoint);
}

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
    for (auto& [calls, kernels] : of_call) AddOfCall(calls.second, kernels);
  }

 private:
  const EntryPoint& EntryOf(size_t call) const {
    return model_.entry_points[process_.calls[call].entry.value()];
  }
  std::string_view NameOf(size_t activity) const {
    return model_.texts[process_.activities[activity].name];
  }

  Wanted WantedBy(size_t call) const {
    const CallArguments of(model_, process_, process_.calls[call]);
    Wanted wanted{CollectiveNamed(EntryOf(call).symbol)
                      .value_or(CollectiveKind::kAllReduce),
                  static_cast<uint64_t>(of.Get(Meaning::kHandle, 0))};
    if (const auto code = of.Get(Meaning::kDtypeAll)) {
      wanted.dtype = DTypeOfDataCode(specs::Library::kNccl, *code);
    }
    wanted.elements_in = of.Get(Dim::kElementsIn);
    wanted.elements_out = of.Get(Dim::kElementsOut);
    wanted.peer = static_cast<int>(of.Get(Meaning::kDimPeer, -1));
    wanted.root = static_cast<int>(of.Get(Meaning::kDimRoot, -1));
    return wanted;
  }

  // What the call asked for: itself, or all between ncclGroupStart and this
  // ncclGroupEnd.
  std::vector<Wanted> AllWantedBy(size_t call) const {
    if (IsTransfer(EntryOf(call))) return {WantedBy(call)};
    std::vector<Wanted> wanted;
    if (EntryOf(call).symbol != "ncclGroupEnd") return wanted;
    int depth = 1;
    const size_t first = call - std::min(call, kLongGroup);
    for (size_t i = call; depth > 0 && i-- > first;) {
      const Call& before = process_.calls[i];
      if (before.thread != process_.calls[call].thread) break;
      if (before.depth > 0 || before.failed) continue;
      if (EntryOf(i).symbol == "ncclGroupEnd") ++depth;
      if (EntryOf(i).symbol == "ncclGroupStart") --depth;
      if (IsTransfer(EntryOf(i))) wanted.push_back(WantedBy(i));
    }
    if (depth > 0) return {};  // its begin is not in the trace
    std::reverse(wanted.begin(), wanted.end());
    return wanted;
  }

  // One kernel for each communicator, in the order of the calls; or one for
  // each call. Else it is not known which kernel does what.
  void AddOfCall(size_t call, const std::vector<size_t>& kernels) {
    std::vector<std::vector<Wanted>> parts;
    const std::vector<Wanted> wanted = AllWantedBy(call);
    for (const Wanted& one : wanted) {
      const auto part = std::find_if(parts.begin(), parts.end(),
                                     [&one](const std::vector<Wanted>& p) {
                                       return p.front().handle == one.handle;
                                     });
      part == parts.end() ? parts.push_back({one}) : part->push_back(one);
    }
    if (parts.size() != kernels.size() && wanted.size() == kernels.size()) {
      parts.clear();
      for (const Wanted& one : wanted) parts.push_back({one});
    }
    std::vector<size_t> in_order = kernels;
    std::stable_sort(in_order.begin(), in_order.end(), [this](auto a, auto b) {
      return process_.activities[a].correlation <
             process_.activities[b].correlation;
    });
    const bool is_known = parts.size() == kernels.size();
    for (size_t k = 0; k < in_order.size(); ++k) {
      if (is_known) {
        AddOwn(in_order[k], parts[k], process_.calls[call].begin_ns);
      } else {
        AddNamed(in_order[k]);
      }
    }
  }

  void AddOwn(size_t activity, const std::vector<Wanted>& parts,
              int64_t called_ns) {
    const Wanted& first = parts.front();
    CollectiveRun run = RunOf(activity);
    run.kind = first.kind;
    run.dtype = first.dtype;
    run.root = first.root;
    for (const Wanted& one : parts) {
      if (one.kind != first.kind) run.kind = CollectiveNamed(NameOf(activity));
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
    LocalCommunicator local{index_, process_.activities[activity].device, ""};
    if (made != nullptr) {
      local.id = made->id;
      local.ranks = made->ranks;
      local.rank = made->rank;
      local.from_its_making = true;
    }
    const std::string generation =
        made == nullptr ? "" : " " + std::to_string(made->begin_ns);
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
    AddTo("handle " + std::to_string(first.handle) + generation, local,
          std::move(run));
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
        run.elements_in = op[Dim::kElementsIn];
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
    out_.runs.push_back(std::move(run));
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

bool HasCollectives(const ProcessAttribution& attribution) {
  return std::any_of(
      attribution.activities.begin(), attribution.activities.end(),
      [](const Attributed& of) { return of.layer_class == LayerClass::kComm; });
}

// All ranks run what a communicator does in one order.
void Number(const LocalCommunicator& local, std::vector<CollectiveRun>& runs) {
  if (!local.from_its_making) return;
  int64_t collectives = 0;
  std::map<std::pair<int, bool>, int64_t> transfers;
  for (const size_t i : local.runs) {
    CollectiveRun& run = runs[i];
    if (run.peers.empty()) {
      run.nth = collectives++;
    } else if (run.peers.size() == 1 &&
               (run.only_sends() || run.only_receives())) {
      run.nth = transfers[{run.peers.front(), run.only_sends()}]++;
    }
  }
}

}  // namespace

CollectiveRuns FindCollectives(const TraceModel& model,
                               const Attribution& attribution) {
  CollectiveRuns out;
  for (size_t p = 0; p < model.processes.size(); ++p) {
    if (!HasCollectives(attribution.processes[p])) continue;
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
  for (const LocalCommunicator& local : out.locals) Number(local, out.runs);
  return out;
}

}  // namespace dltap::analyzer

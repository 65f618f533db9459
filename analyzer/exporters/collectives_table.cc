// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/collectives_table.h"

#include <algorithm>
#include <vector>

#include "analyzer/exporters/activity_names.h"
#include "analyzer/exporters/event_tables.h"
#include "analyzer/metrics/steps/step_at.h"
#include "analyzer/metrics/summary/collective_sums.h"

namespace dltap::analyzer {
namespace {

using enum ColumnType;

constexpr TypedColumn kColumns[] = {{"process", kText},
                                    {"device", kInteger},
                                    {"communicator", kText},
                                    {"ranks", kInteger},
                                    {"communicator_rank", kInteger},
                                    {"kind", kText},
                                    {"dtype", kText},
                                    {"bytes", kInteger},
                                    {"elements_in", kInteger},
                                    {"elements_out", kInteger},
                                    {"root", kInteger},
                                    {"peer", kInteger},
                                    {"sequence", kInteger},
                                    {"nth", kInteger},
                                    {"begin_ns", kInteger},
                                    {"end_ns", kInteger},
                                    {"step", kInteger},
                                    {"name", kText}};

// Sends and receives have directions; several at once are both.
std::string_view KindOf(const CollectiveRun& run) {
  if (!run.kind) return "";
  if (*run.kind != CollectiveKind::kSendReceive) return Name(*run.kind);
  if (run.only_sends()) return "send";
  return run.only_receives() ? "recv" : Name(*run.kind);
}

// Below 0 stands for none in the model.
void Known(int64_t number, RowSink& sink) {
  number >= 0 ? sink.Integer(number) : sink.Null();
}

class CollectiveRows {
 public:
  CollectiveRows(const ExportInput& input, RowSink& sink)
      : input_(input), names_(input.model), sink_(sink) {}

  void Run() {
    std::vector<const CollectiveRun*> runs;
    const auto& [ended, unended, locals] = input_.collectives;
    for (const auto* part : {&ended, &unended}) {
      for (const CollectiveRun& run : *part) {
        if (input_.WantsProcess(locals[run.local].process)) {
          runs.push_back(&run);
        }
      }
    }
    std::stable_sort(runs.begin(), runs.end(),
                     [](const CollectiveRun* a, const CollectiveRun* b) {
                       return a->span.begin_ns < b->span.begin_ns;
                     });
    for (const CollectiveRun* run : runs) Write(*run);
  }

 private:
  const LocalCommunicator& LocalOf(const CollectiveRun& run) const {
    return input_.collectives.locals[run.local];
  }

  void Write(const CollectiveRun& run) {
    const LocalCommunicator& local = LocalOf(run);
    const Process& process = input_.model.processes[local.process];
    sink_.Text(OwnerOf(process));
    sink_.Integer(process.devices[local.device.value()].ordinal);
    sink_.MaybeText(local.id);
    local.ranks > 0 ? sink_.Integer(local.ranks) : sink_.Null();
    Known(local.rank, sink_);
    sink_.MaybeText(KindOf(run));
    sink_.MaybeText(
        run.dtype == opmodel::DType::kUnknown ? "" : specs::Name(run.dtype));
    sink_.MaybeInteger(BytesOf(run, local.ranks));
    sink_.MaybeInteger(run.elements_in);
    sink_.MaybeInteger(run.elements_out);
    Known(run.root, sink_);
    run.peers.size() == 1 ? Known(run.peers.front(), sink_) : sink_.Null();
    Known(run.sequence, sink_);
    Known(run.nth, sink_);
    sink_.Integer(input_.At(run.span.begin_ns));
    WriteEnd(run, local, process);
    sink_.EndRow();
  }

  void WriteEnd(const CollectiveRun& run, const LocalCommunicator& local,
                const Process& process) {
    if (!run.ended) {
      sink_.Null();
      sink_.MaybeInteger(StepAt(input_.steps[local.process], run.called_ns));
      sink_.Null();
      return;
    }
    sink_.Integer(input_.At(run.span.end_ns));
    const CallId call = input_.attribution.processes[local.process]
                            .activities[run.activity]
                            .submitted_by;
    sink_.MaybeInteger(SubmittedIn(process, input_.steps[local.process], call));
    sink_.Text(names_.Of(process.activities[run.activity]));
  }

  const ExportInput& input_;
  ActivityNames names_;
  RowSink& sink_;
};

void WriteCollectives(const ExportInput& input, RowSink& sink) {
  CollectiveRows(input, sink).Run();
}

}  // namespace

ExportTable CollectivesTable() {
  return {"collectives", kColumns, WriteCollectives};
}

}  // namespace dltap::analyzer

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/kernel_rows.h"

#include <memory>
#include <string_view>
#include <vector>

#include "analyzer/exporters/activity_numbers.h"
#include "analyzer/exporters/event_rows.h"
#include "analyzer/metrics/base/efficiency.h"
#include "analyzer/metrics/base/op_name.h"
#include "analyzer/metrics/steps/steps_around.h"

namespace dltap::analyzer {
namespace {

using enum ColumnType;

constexpr TypedColumn kColumns[] = {{"process", kText},
                                    {"rank", kInteger},
                                    {"device", kInteger},
                                    {"stream", kInteger},
                                    {"begin_ns", kInteger},
                                    {"end_ns", kInteger},
                                    {"kind", kText},
                                    {"name", kText},
                                    {"class", kText},
                                    {"direction", kText},
                                    {"class_from", kText},
                                    {"joined_by", kText},
                                    {"autotune", kFlag},
                                    {"op", kText},
                                    {"step", kInteger},
                                    {"call", kInteger},
                                    {"correlation", kInteger},
                                    {"graph_node", kInteger},
                                    {"bytes", kInteger},
                                    {"grid_x", kInteger},
                                    {"grid_y", kInteger},
                                    {"grid_z", kInteger},
                                    {"block_x", kInteger},
                                    {"block_y", kInteger},
                                    {"block_z", kInteger},
                                    {"registers_per_thread", kInteger},
                                    {"static_shared_bytes", kInteger},
                                    {"dynamic_shared_bytes", kInteger},
                                    {"flops", kReal},
                                    {"work_bytes", kReal}};

// The places of the columns above.
enum Column : size_t {
  kDevice = 2,
  kStream,
  kBegin,
  kEnd,
  kKind,
  kName,
  kClass,
  kDirection,
  kClassFrom,
  kJoinedBy,
  kAutotune,
  kOp,
  kStep,
  kCall,
  kCorrelation,
  kGraphNode,
  kBytes,
  kShape,  // the first of nine
  kFlops = kShape + 9,
  kWorkBytes
};
static_assert(kWorkBytes + 1 == std::size(kColumns));

int64_t Signed(uint64_t number) { return static_cast<int64_t>(number); }

class KernelRows : public EventRows {
 public:
  explicit KernelRows(const ExportInput& input)
      : EventRows(input, kColumns),
        names_(input.model),
        ops_(input.model.processes.size()) {
    for (size_t p = 0; p < input.model.processes.size(); ++p) {
      if (input.WantsProcess(p)) AddProcess(p);
    }
  }

 protected:
  void FillBlock(const Block& block, std::span<ColumnPlace> places) override {
    FillOwner(block, places);
    FillTimes(block, places);
    FillTexts(block, places);
    FillLinks(block, places);
    FillShapes(block, places);
    FillWork(block, places);
  }

 private:
  void AddProcess(size_t p) {
    const Process& process = input().model.processes[p];
    const ProcessAttribution& attribution = input().attribution.processes[p];
    BeginProcess(p);
    Reserve(process.activities.size());
    for (const WorkKind& kind : attribution.work_kinds) {
      const std::string op = Scalars(kind.leading);
      ops_[p].push_back(op.empty() ? kNoText : texts(kOp).Add(op));
    }
    for (size_t i = 0; i < process.activities.size(); ++i) {
      const Activity& activity = process.activities[i];
      if (!input().Wants(process, activity)) continue;
      AddEvent(i);
      const Attributed& attributed = attribution.activities[i];
      kinds_.Add(activity.kind, texts(kKind));
      names_.Add(activity, texts(kName));
      classes_.Add(attributed.layer_class, texts(kClass));
      directions_.Add(attributed.direction, texts(kDirection));
      class_from_.Add(attributed.class_from, texts(kClassFrom));
      joined_by_.Add(attributed.joined_by, texts(kJoinedBy));
    }
  }

  void FillTimes(const Block& block, std::span<ColumnPlace> places) const {
    const Process& process = input().model.processes[block.process];
    for (size_t i = 0; i < block.events.size(); ++i) {
      const size_t row = block.row + i;
      const Activity& activity = process.activities[block.events[i]];
      places[kDevice].Integer(row,
                              process.devices[activity.device.value()].ordinal);
      places[kStream].Integer(
          row, Signed(process.streams[activity.stream.value()].number));
      places[kBegin].Integer(row, input().At(activity.begin_ns));
      places[kEnd].Integer(row, input().At(activity.end_ns));
    }
  }

  void FillTexts(const Block& block, std::span<ColumnPlace> places) const {
    const Process& process = input().model.processes[block.process];
    const ProcessAttribution& attribution =
        input().attribution.processes[block.process];
    for (size_t i = 0; i < block.events.size(); ++i) {
      const size_t row = block.row + i;
      const Activity& activity = process.activities[block.events[i]];
      const Attributed& attributed = attribution.activities[block.events[i]];
      places[kKind].Text(row, kinds_.Of(activity.kind));
      places[kName].Text(row, names_.Of(activity));
      places[kClass].Text(row, classes_.Of(attributed.layer_class));
      places[kDirection].Text(row, directions_.Of(attributed.direction));
      places[kClassFrom].Text(row, class_from_.Of(attributed.class_from));
      places[kJoinedBy].Text(row, joined_by_.Of(attributed.joined_by));
      places[kAutotune].Flag(row, attributed.autotune);
      const uint32_t op = OpOf(block.process, attribution, attributed);
      op == kNoText ? places[kOp].Null(row) : places[kOp].Text(row, op);
    }
  }

  uint32_t OpOf(size_t p, const ProcessAttribution& attribution,
                const Attributed& attributed) const {
    if (!attributed.work.known()) return kNoText;
    return ops_[p][attribution.works[attributed.work.value()].kind];
  }

  void FillLinks(const Block& block, std::span<ColumnPlace> places) const {
    const Process& process = input().model.processes[block.process];
    const ProcessAttribution& attribution =
        input().attribution.processes[block.process];
    StepsAround steps(input().steps[block.process]);
    // 0 stands for none in the model.
    const auto known = [](ColumnPlace& place, size_t row, uint64_t number) {
      number != 0 ? place.Integer(row, Signed(number)) : place.Null(row);
    };
    for (size_t i = 0; i < block.events.size(); ++i) {
      const size_t row = block.row + i;
      const Activity& activity = process.activities[block.events[i]];
      const CallId call = attribution.activities[block.events[i]].submitted_by;
      const std::optional<size_t> step = steps.Of(process, call);
      step ? places[kStep].Integer(row, Signed(*step))
           : places[kStep].Null(row);
      call.known() ? places[kCall].Integer(row, Signed(call.value()))
                   : places[kCall].Null(row);
      known(places[kCorrelation], row, activity.correlation);
      known(places[kGraphNode], row, activity.graph_node);
      activity.kind == ActivityKind::kKernel
          ? places[kBytes].Null(row)
          : places[kBytes].Integer(row, Signed(activity.bytes));
    }
  }

  void FillShapes(const Block& block, std::span<ColumnPlace> places) const {
    const Process& process = input().model.processes[block.process];
    for (size_t i = 0; i < block.events.size(); ++i) {
      const size_t row = block.row + i;
      const Activity& activity = process.activities[block.events[i]];
      ColumnPlace* place = &places[kShape];
      if (activity.kind != ActivityKind::kKernel ||
          activity.shape >= process.launch_shapes.size()) {
        for (int c = 0; c < 9; ++c) (place++)->Null(row);
        continue;
      }
      const LaunchShape& shape = process.launch_shapes[activity.shape];
      for (const uint32_t size : shape.grid) (place++)->Integer(row, size);
      for (const uint32_t size : shape.block) (place++)->Integer(row, size);
      (place++)->Integer(row, shape.registers_per_thread);
      (place++)->Integer(row, shape.static_shared_bytes);
      place->Integer(row, shape.dynamic_shared_bytes);
    }
  }

  void FillWork(const Block& block, std::span<ColumnPlace> places) const {
    const Process& process = input().model.processes[block.process];
    const ProcessAttribution& attribution =
        input().attribution.processes[block.process];
    for (size_t i = 0; i < block.events.size(); ++i) {
      const size_t row = block.row + i;
      const Activity& activity = process.activities[block.events[i]];
      const Efficiency work = EfficiencyOf(
          attribution, activity, attribution.activities[block.events[i]],
          activity.end_ns - activity.begin_ns, nullptr);
      work.known_ns > 0 ? places[kFlops].Real(row, work.flops)
                        : places[kFlops].Null(row);
      work.bytes_ns > 0 ? places[kWorkBytes].Real(row, work.bytes)
                        : places[kWorkBytes].Null(row);
    }
  }

  ActivityNumbers names_;
  WordNumbers<ActivityKind> kinds_;
  WordNumbers<LayerClass> classes_;
  WordNumbers<Direction> directions_;
  WordNumbers<ClassFrom> class_from_;
  WordNumbers<JoinedBy> joined_by_;
  std::vector<std::vector<uint32_t>> ops_;  // by process and kind of work
};

std::unique_ptr<ColumnRows> MakeKernels(const ExportInput& input) {
  return std::make_unique<KernelRows>(input);
}

}  // namespace

ExportTable KernelsTable() {
  return {"kernels", kColumns, nullptr, MakeKernels};
}

}  // namespace dltap::analyzer

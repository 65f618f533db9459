// SPDX-License-Identifier: Apache-2.0
#include "analyzer/metrics/steps/module_runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analyzer/metrics/steps/step_finder.h"
#include "analyzer/reader/text/text_line.h"
#include "tests/support/trace_text.h"

namespace dltap::analyzer {
namespace {

std::string Us(int t) { return std::to_string(t) + "us"; }

// A call of thread 0 that submits `work`, which runs a millisecond later.
std::string Submit(int at, const std::string& call, const std::string& work) {
  const std::string corr = " corr=" + std::to_string(at + 1);
  return "call t=" + Us(at) + ".." + Us(at + 2) + " thread=0 " + call +
         "\nlaunchapi t=" + Us(at) + ".." + Us(at + 1) + " thread=0" + corr +
         " ext=" + Us(at) + "\n" + work.substr(0, work.find(' ')) +
         " t=" + Us(1000 + at) + ".." + Us(1002 + at) + " device=0" + corr +
         work.substr(work.find(' ')) + "\n";
}

// A kernel in the range of an instruction with a path and a line of source.
std::string Thunk(int at, const std::string& path, const std::string& source,
                  const std::string& kernel) {
  return "range t=" + Us(at - 1) + ".." + Us(at + 3) +
         " thread=0 name=\"Thunk:#hlo_op=" + kernel +
         "#\" kind=nvtx domain=TSL detail=" +
         Quoted("f.1 = f32[8] fusion(p), metadata={op_name=\"" + path +
                "\"}\n- train.py:9:4[<module>]\n-- " + source + ":3:4[f]") +
         "\n" +
         Submit(at, "cuLaunchKernel launches=" + kernel,
                "kernel name=" + kernel);
}

constexpr char kOptimizer[] = "/lib/site-packages/optax/_src/transform.py";

std::string Run(int at, int until, const std::string& module) {
  return "range t=" + Us(at) + ".." + Us(until) +
         " thread=0 name=\"XlaModule:#hlo_module=" + module +
         "#\" kind=nvtx domain=TSL\n";
}

// A run of 40 us of a module that trains: its optimizer's factor comes first.
std::string TrainingRun(int at) {
  const std::string optimizer = kOptimizer;
  return Run(at, at + 40, "jit_step") +
         Thunk(at + 2, "jit(step)/sub", optimizer, "loop_subtract_fusion") +
         Thunk(at + 10, "jit(step)/jvp()/dot_general", "train.py",
               "gemm_fusion_dot_1") +
         Thunk(at + 20, "jit(step)/transpose(jvp())/dot_general", "train.py",
               "gemm_fusion_dot_2") +
         Thunk(at + 30, "jit(step)/add", optimizer, "loop_add_fusion");
}

TEST(ModuleRunsTest, AFactorAtTheBeginOfARunEndsNoIteration) {
  std::string text = "device 0 name=gpu\nthread 0 tid=1 name=python\n";
  for (int step = 0; step < 4; ++step) {
    text += Submit(100 * step, "cuMemcpyHtoDAsync_v2",
                   "memcpy kind=htod bytes=4096") +
            TrainingRun(100 * step + 20);
  }
  const TraceModel model = TraceFromText(text);
  const Attribution attribution = Attribute(model);
  const Process& process = model.processes[0];
  EXPECT_EQ(attribution.processes[0].activities[1].direction,
            Direction::kUpdate);
  std::vector<int64_t> begins;
  for (const Step& step :
       FindSteps(model, process, attribution.processes[0]).steps) {
    begins.push_back(step.begin_ns);
  }
  EXPECT_EQ(begins, (std::vector<int64_t>{0, 100'000, 200'000, 300'000}));
}

// The products are so small that XLA makes sums of them.
std::string TrainingRunWithoutProducts(int at) {
  return Run(at, at + 40, "jit_update") +
         Thunk(at + 2, "jit(update)/jvp()/dot_general", "train.py",
               "input_reduce_fusion") +
         Thunk(at + 10, "jit(update)/transpose(jvp())/mul", "train.py",
               "loop_multiply_fusion") +
         Thunk(at + 20, "jit(update)/add", kOptimizer, "loop_add_fusion");
}

std::string Evaluation(int at) {
  return Run(at, at + 20, "jit_dot") +
         Thunk(at + 2, "jit(dot)/dot_general", "train.py",
               "gemm_fusion_dot_1") +
         Submit(at + 22, "cuMemcpyDtoHAsync_v2", "memcpy kind=dtoh bytes=4");
}

TEST(ModuleRunsTest, ARunThatUpdatesIsAnIterationWithoutProductsToo) {
  std::string text = "device 0 name=gpu\nthread 0 tid=1 name=python\n";
  for (int step = 0; step < 20; ++step) {
    if (step % 5 == 0) text += Evaluation(100 * step);
    text += Submit(100 * step + 30, "cuMemcpyHtoDAsync_v2",
                   "memcpy kind=htod bytes=4096") +
            TrainingRunWithoutProducts(100 * step + 50);
  }
  const TraceModel model = TraceFromText(text);
  const Attribution attribution = Attribute(model);
  const Steps found =
      FindSteps(model, model.processes[0], attribution.processes[0]);
  const auto evaluations =
      std::ranges::count(found.steps, StepUse::kEvaluation, &Step::use);
  EXPECT_EQ(found.steps.size() - evaluations, 20);
  EXPECT_EQ(evaluations, 3);  // the first stands before the loop
}

}  // namespace
}  // namespace dltap::analyzer

// SPDX-License-Identifier: Apache-2.0
#include "tests/workloads/cuda/training.h"

#include <cstdio>

#include "tests/workloads/cuda/check.h"

namespace workloads {
namespace {

void PrintCounts(const char* name, const std::map<std::string, int>& counts) {
  std::printf(",\n \"%s\": {", name);
  const char* separator = "";
  for (const auto& [key, count] : counts) {
    std::printf("%s\"%s\": %d", separator, key.c_str(), count);
    separator = ", ";
  }
  std::printf("}");
}

void PrintLoss(int step, const Model& model, cudaStream_t stream) {
  float loss = 0;
  CHECK(cudaMemcpyAsync(&loss, model.loss(), sizeof(loss),
                        cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::printf("step %d loss %.4f\n", step, loss);
  std::fflush(stdout);
}

cudaGraphExec_t Capture(Model& model, cudaStream_t stream) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  model.Enqueue(stream);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  return exec;
}

}  // namespace

void PrintExpectation(const char* program, const Options& options,
                      const StepCalls& calls) {
  // A captured step is enqueued twice, once to warm up and once to capture.
  const bool replays = options.capture && options.steps > 1;
  std::printf("{\"program\": \"%s\", \"steps\": %d, \"batch\": %d, ", program,
              options.steps, options.batch);
  std::printf("\"enqueued_steps\": %d, \"graph_launches\": %d, ",
              replays ? 2 : options.steps, replays ? options.steps - 1 : 0);
  std::printf("\"copies_per_step\": %d", calls.copies);
  PrintCounts("functions_per_step", calls.functions);
  PrintCounts("classes_per_step", calls.classes);
  PrintCounts("kernels_per_step", calls.kernels);
  std::printf("}\n");
}

void Train(Model& model, const Options& options, cudaStream_t stream) {
  cudaGraphExec_t exec = nullptr;
  for (int step = 1; step <= options.steps; ++step) {
    if (exec != nullptr) {
      CHECK(cudaGraphLaunch(exec, stream));
    } else {
      model.Enqueue(stream);
    }
    if (step == 1 && options.capture && options.steps > 1) {
      CHECK(cudaStreamSynchronize(stream));
      exec = Capture(model, stream);
    }
    if (step % 10 == 0 || step == options.steps) {
      PrintLoss(step, model, stream);
    }
  }
  if (exec != nullptr) CHECK(cudaGraphExecDestroy(exec));
}

}  // namespace workloads

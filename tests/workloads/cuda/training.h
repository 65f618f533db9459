// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_WORKLOADS_CUDA_TRAINING_H_
#define DLTAP_TESTS_WORKLOADS_CUDA_TRAINING_H_

#include <cuda_runtime.h>

#include <map>
#include <string>

#include "tests/workloads/cuda/options.h"

namespace workloads {

// What one step calls: library calls by function and by layer class, and the
// program's own kernels by name. Copies are counted apart.
struct StepCalls {
  std::map<std::string, int> functions;
  std::map<std::string, int> classes;
  std::map<std::string, int> kernels;
  int copies = 0;
};

// One step of training: input copies, forward, backward, update. Enqueue()
// must submit the same work each time, to that one stream.
class Model {
 public:
  virtual ~Model() = default;
  virtual void Enqueue(cudaStream_t stream) = 0;
  virtual const float* loss() const = 0;  // device memory
};

void PrintExpectation(const char* program, const Options& options,
                      const StepCalls& calls);

// Runs the steps; prints "step N loss X" every ten and at the end. With
// --capture the first step runs as it is, then one is captured and replayed
// for the rest.
void Train(Model& model, const Options& options, cudaStream_t stream);

}  // namespace workloads

#endif  // DLTAP_TESTS_WORKLOADS_CUDA_TRAINING_H_

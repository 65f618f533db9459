// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_WORKLOADS_CUDA_CUDNN_GRAPH_H_
#define DLTAP_TESTS_WORKLOADS_CUDA_CUDNN_GRAPH_H_

#include <cudnn.h>

#include <memory>
#include <vector>

#include "tests/workloads/cuda/device_array.h"

namespace workloads {

// A descriptor of cuDNN's backend interface.
class GraphPart {
 public:
  explicit GraphPart(cudnnBackendDescriptorType_t type);
  GraphPart(GraphPart&& other) noexcept
      : desc_(std::exchange(other.desc_, nullptr)) {}
  GraphPart& operator=(GraphPart&&) = delete;
  ~GraphPart();

  GraphPart& Set(cudnnBackendAttributeName_t name,
                 cudnnBackendAttributeType_t type, int64_t count,
                 const void* values);
  GraphPart& Set(cudnnBackendAttributeName_t name, const GraphPart& value);
  GraphPart& Set(cudnnBackendAttributeName_t name, cudnnHandle_t value);
  cudnnStatus_t Finalize();
  cudnnBackendDescriptor_t get() const { return desc_; }

 private:
  cudnnBackendDescriptor_t desc_ = nullptr;
};

// A contiguous tensor of four dimensions; `by_value`: one float of the host.
GraphPart GraphTensor(int64_t id, cudnnDataType_t type,
                      const std::vector<int64_t>& dims, bool by_value = false);

// The first plan that cuDNN's heuristics name and that can be made.
class GraphPlan {
 public:
  // Ends the program with `what` in its message if there is none.
  GraphPlan(cudnnHandle_t cudnn, const GraphPart& operation, const char* what);
  void Execute(const std::vector<int64_t>& ids,
               const std::vector<void*>& pointers);

 private:
  bool TryPlan(const GraphPart& config);

  cudnnHandle_t cudnn_;
  std::unique_ptr<GraphPart> plan_;
  DeviceArray<char> workspace_;
};

}  // namespace workloads

#endif  // DLTAP_TESTS_WORKLOADS_CUDA_CUDNN_GRAPH_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_UNIT_SHIM_TAP_TAGGING_CUDNN_BACKEND_H_
#define DLTAP_TESTS_UNIT_SHIM_TAP_TAGGING_CUDNN_BACKEND_H_

#include <cudnn_graph.h>

#include <initializer_list>
#include <string>
#include <vector>

namespace dltap::shim::tagging {

// A cuDNN backend API: the vendor's library or one that only hands out
// descriptors.
struct CudnnBackend {
  std::string name;
  decltype(&::cudnnBackendCreateDescriptor) create = nullptr;
  decltype(&::cudnnBackendSetAttribute) set = nullptr;
  decltype(&::cudnnBackendGetAttribute) get = nullptr;
  decltype(&::cudnnBackendFinalize) finalize = nullptr;
  decltype(&::cudnnBackendDestroyDescriptor) destroy = nullptr;

  bool available() const { return create != nullptr; }
};

// Accepts everything and checks nothing.
CudnnBackend AgreeableBackend();

// libcudnn of the toolkit that the build found; not available() without one.
// Descriptors need no GPU.
CudnnBackend VendorBackend();

// What a record of cudnnBackendExecute gets from its hook.
struct PackedExecute {
  uint64_t x, w, y, extra;
  uint64_t workspace, workspace_bytes;
  uint32_t operation;
};
PackedExecute PackExecute(void* plan, void* pack);

// Builds descriptors as a client does, with dltap's hooks called as the
// wrappers call them.
class TappedCudnn {
 public:
  explicit TappedCudnn(const CudnnBackend& backend) : backend_(backend) {}
  ~TappedCudnn();

  void* Create(cudnnBackendDescriptorType_t type);
  void SetInts(void* descriptor, int name, std::vector<int64_t> values);
  void SetType(void* descriptor, int name, cudnnDataType_t type);
  void SetMode(void* descriptor, int name, cudnnBackendAttributeType_t type,
               int mode);
  void SetDescriptors(void* descriptor, int name, std::vector<void*> values);
  void SetDouble(void* descriptor, int name, double value);
  void SetPointers(void* descriptor, int name, std::vector<uint64_t> values);
  void SetFlag(void* descriptor, int name, bool value);
  cudnnStatus_t Finalize(void* descriptor);
  void Destroy(void* descriptor);

  void* Tensor(std::vector<int64_t> dims, cudnnDataType_t type);
  // With a unique id; `flag` is an attribute that is set to true, 0: none.
  void* TensorOf(int64_t uid, std::vector<int64_t> dims, cudnnDataType_t type,
                 int flag = 0);
  // Not finalized: a client that sets the attributes again does the same.
  void* Pack(std::vector<int64_t> uids, std::vector<uint64_t> pointers);
  // Of finalized operations; others, which need more attributes than a test
  // cares for, reach only the hooks.
  void* Graph(std::vector<void*> operations);
  // Chains ENGINEHEUR -> ENGINECFG -> EXECUTION_PLAN without finalizing them,
  // which would need a GPU.
  void* Plan(void* graph);

 private:
  void SetRaw(void* descriptor, int name, cudnnBackendAttributeType_t type,
              int64_t count, const void* elements);

  const CudnnBackend& backend_;
  std::vector<void*> live_;
  int64_t next_uid_ = 1;
};

}  // namespace dltap::shim::tagging

#endif  // DLTAP_TESTS_UNIT_SHIM_TAP_TAGGING_CUDNN_BACKEND_H_

// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_CUDNN_BACKEND_DESCRIPTOR_H_
#define DLTAP_SIMGPU_CUDNN_BACKEND_DESCRIPTOR_H_

#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "simgpu/cudnn/objects.h"
#include "simgpu/cudnn/op_kernels.h"

namespace dltap::simgpu {

struct BackendBody;
using BodyPointer = std::shared_ptr<BackendBody>;

// The value of an attribute: bytes, or bodies for descriptor-valued ones.
struct BackendAttribute {
  cudnnBackendAttributeType_t type;
  int64_t count;
  std::vector<std::byte> bytes;
  std::vector<BodyPointer> bodies;
};

// What a descriptor describes. Handles die before what they describe: the
// frontend destroys an operation's descriptor once the graph is built.
struct BackendBody {
  explicit BackendBody(cudnnBackendDescriptorType_t descriptor_type)
      : type(descriptor_type) {}

  const cudnnBackendDescriptorType_t type;
  bool finalized = false;
  std::map<int, BackendAttribute> attributes;
  std::vector<Engine> engines;  // of a finalized operation graph
  KernelList kernels;           // of a finalized execution plan

  const BackendAttribute* Find(int name) const {
    const auto found = attributes.find(name);
    return found == attributes.end() ? nullptr : &found->second;
  }

  // The first (or i-th) descriptor of an attribute; null when there is none.
  BodyPointer Body(int name, size_t index = 0) const {
    const BackendAttribute* attribute = Find(name);
    return attribute == nullptr || index >= attribute->bodies.size()
               ? nullptr
               : attribute->bodies[index];
  }

  // The values of an attribute; empty when it is not set.
  template <typename T>
  std::vector<T> Values(int name) const {
    const BackendAttribute* attribute = Find(name);
    if (attribute == nullptr) return {};
    std::vector<T> values(attribute->bytes.size() / sizeof(T));
    if (!values.empty()) {
      std::memcpy(values.data(), attribute->bytes.data(),
                  values.size() * sizeof(T));
    }
    return values;
  }

  template <typename T>
  T Value(int name, T otherwise) const {
    const std::vector<T> values = Values<T>(name);
    return values.empty() ? otherwise : values.front();
  }

  template <typename T>
  void Put(int name, cudnnBackendAttributeType_t attribute_type,
           const std::vector<T>& values) {
    BackendAttribute& attribute = attributes[name];
    attribute = {attribute_type, static_cast<int64_t>(values.size()), {}, {}};
    const auto bytes = std::as_bytes(std::span(values));
    attribute.bytes.assign(bytes.begin(), bytes.end());
  }

  void PutBodies(int name, std::vector<BodyPointer> bodies) {
    const auto count = static_cast<int64_t>(bodies.size());
    attributes[name] = {
        CUDNN_TYPE_BACKEND_DESCRIPTOR, count, {}, std::move(bodies)};
  }
};

// What a cudnnBackendDescriptor_t points to.
struct BackendDescriptor {
  BodyPointer body;
};

// Bytes of one element of an attribute.
size_t ElementBytes(cudnnBackendAttributeType_t type);

// Gives a body what its finalisation computes.
cudnnStatus_t FinalizeBody(const BodyPointer& body);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_CUDNN_BACKEND_DESCRIPTOR_H_

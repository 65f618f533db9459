// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_TESTS_UNIT_SHIM_TAP_TAGGING_FAKE_TAGGING_RUNTIME_H_
#define DLTAP_TESTS_UNIT_SHIM_TAP_TAGGING_FAKE_TAGGING_RUNTIME_H_

#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "opmodel/operation.h"
#include "shim/tap/tagging/tagging_runtime.h"
#include "shim/trace/records.h"

namespace dltap::shim::tagging {

// A runtime that keeps what tagging hands to it, decoded.
class FakeTaggingRuntime {
 public:
  FakeTaggingRuntime() {
    instance() = this;
    g_runtime = TaggingRuntime{
        .session = [] { return instance()->session; },
        .define_operation =
            [](uint32_t id, uint16_t count, std::span<const uint8_t> nodes) {
              return instance()->DefineOperation(id, count, nodes);
            },
        .define_function =
            [](uint64_t handle, const char* name, uint32_t length) {
              instance()->functions[handle] = std::string(name, length);
              return true;
            },
        .note_stream =
            [](uint64_t handle, uint64_t stream) {
              if (!instance()->recording) return false;
              instance()->streams.emplace_back(handle, stream);
              return true;
            },
        .note_operation =
            [](uint64_t kernel, uint32_t operation) {
              instance()->launches.emplace_back(kernel, operation);
              return true;
            },
        .real = [](const char* name) -> void* {
          const auto found = instance()->real.find(name);
          return found == instance()->real.end() ? nullptr : found->second;
        },
        .has_copies = [](const char*) { return instance()->has_copies; },
        .capture_begins = [] { ++instance()->captures; },
        .capture_began = [] { instance()->capturing = true; },
        .capture_ended = [](bool) { instance()->capturing = false; },
        .lost = [](trace::LossKind) { ++instance()->losses; },
    };
  }
  ~FakeTaggingRuntime() { g_runtime = TaggingRuntime{}; }

  // Each runtime is a session of its own: tables outlive it.
  uint32_t session = NextSession();
  bool recording = true;
  bool definitions_work = true;
  bool has_copies = false;
  int captures = 0;
  bool capturing = false;
  int losses = 0;
  std::map<uint32_t, std::vector<opmodel::Operation>> operations;
  std::map<uint64_t, std::string> functions;
  std::vector<std::pair<uint64_t, uint64_t>> streams;
  std::vector<std::pair<uint64_t, uint32_t>> launches;  // with operations
  std::map<std::string, void*> real;

 private:
  static uint32_t NextSession() {
    static uint32_t last = 0;
    return ++last;
  }
  static FakeTaggingRuntime*& instance() {
    static FakeTaggingRuntime* runtime = nullptr;
    return runtime;
  }

  bool DefineOperation(uint32_t id, uint16_t count,
                       std::span<const uint8_t> bytes) {
    if (!definitions_work) return false;
    std::vector<opmodel::Operation> nodes(count);
    const uint8_t* at = bytes.data();
    for (opmodel::Operation& node : nodes) {
      trace::OperationNode head;
      memcpy(&head, at, sizeof(head));
      node.kind = static_cast<opmodel::OpKind>(head.kind);
      node.cell = static_cast<opmodel::RnnCell>(head.cell);
      node.storage = static_cast<opmodel::DType>(head.storage);
      node.math = static_cast<opmodel::DType>(head.math);
      at += sizeof(head);
      for (int i = 0; i < head.dim_count; ++i) {
        trace::DimRecord dim;
        memcpy(&dim, at, sizeof(dim));
        node.dims[dim.dim] = dim.value;
        at += sizeof(dim);
      }
    }
    operations[id] = std::move(nodes);
    return at == bytes.data() + bytes.size();
  }
};

}  // namespace dltap::shim::tagging

#endif  // DLTAP_TESTS_UNIT_SHIM_TAP_TAGGING_FAKE_TAGGING_RUNTIME_H_

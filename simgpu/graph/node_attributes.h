// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_LAUNCH_LAUNCH_ATTRIBUTES_H_
#define DLTAP_SIMGPU_LAUNCH_LAUNCH_ATTRIBUTES_H_

#include <array>
#include <cstddef>
#include <map>

#include "simgpu/base/error.h"

namespace dltap::simgpu {

struct GraphNode;
struct Stream;

// Values of launch attributes (cudaLaunchAttributeID, CUlaunchAttributeID: the
// same numbers and the same 64 byte union), as a kernel node or a stream keeps
// them. What has no meaning here reads back as it was set.
class AttributeSet {
 public:
  static constexpr size_t kValueBytes = 64;

  void Set(int id, const void* value);
  // Zeroes when never set.
  void Get(int id, void* value) const;
  friend bool operator==(const AttributeSet&, const AttributeSet&) = default;

 private:
  std::map<int, std::array<std::byte, kValueBytes>> values_;
};

// kInvalidValue: not a kernel node, not an attribute of one, or a bad value.
Error SetNodeAttribute(GraphNode& node, int id, const void* value);
Error GetNodeAttribute(const GraphNode& node, int id, void* value);
Error CopyNodeAttributes(const GraphNode& from, GraphNode& to);

// kInvalidValue: not an attribute of a stream.
Error SetStreamAttribute(Stream& stream, int id, const void* value);
Error GetStreamAttribute(const Stream& stream, int id, void* value);
Error CopyStreamAttributes(const Stream& from, Stream& to);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_LAUNCH_LAUNCH_ATTRIBUTES_H_

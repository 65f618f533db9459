// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_STREAM_GREEN_CONTEXT_H_
#define DLTAP_SIMGPU_STREAM_GREEN_CONTEXT_H_

#include <cstdint>
#include <vector>

#include "opmodel/gpu_table.h"
#include "simgpu/base/error.h"
#include "simgpu/base/handle.h"
#include "simgpu/stream/device_state.h"
#include "simgpu/stream/event.h"
#include "simgpu/stream/sm_sharing.h"
#include "simgpu/stream/stream_state.h"

namespace dltap::simgpu {

// Some SMs of a device. `split` names the call that parted them off; 0: none.
struct SmResource {
  Device* device = nullptr;
  unsigned sms = 0;
  uint64_t split = 0;
};

// The least part of a device and the step to the next (CUDA programming guide,
// "Green contexts").
struct SmGranularity {
  unsigned least;
  unsigned step;
};
SmGranularity GranularityOf(const Device& device);

struct SmSplit {
  unsigned groups = 0;  // possible, at most those wanted
  SmResource group;     // each
  SmResource rest;
};
// kInvalidValue for more SMs than there are. Without the guarantees of clusters
// (`fine`) a part may be smaller.
Error SplitSms(const SmResource& input, unsigned least_sms, bool fine,
               unsigned wanted_groups, SmSplit* split);

// A CUdevResourceDesc.
struct SmDescription : Handle {
  static constexpr uint32_t kTag = 0x44455343;  // "DESC"
  explicit SmDescription(const SmResource& of) : Handle(kTag), resource(of) {}
  const SmResource resource;
};
// kInvalidResourceConfiguration unless all are of one device and, where there
// are several, of one split.
Error DescribeSms(const std::vector<SmResource>& resources,
                  SmDescription** description);

// A CUgreenCtx: kernels in its streams share its SMs, as if the device had no
// others; those of other contexts do not notice. Lives for ever, since streams
// may outlive its handle.
struct GreenContext : Handle {
  static constexpr uint32_t kTag = 0x47524e43;  // "GRNC"
  explicit GreenContext(const SmResource& made_of);
  const SmResource resource;
  const uint64_t id;
  const opmodel::GpuSpec gpu;  // the device's, with fewer SMs
  SmSharing sm_sharing;
  Context* const context;  // what it is converted to
};

// Retains the primary context until it is destroyed.
Error CreateGreenContext(const SmDescription& description,
                         GreenContext** context);
Error DestroyGreenContext(GreenContext& context);

// The green context that a context was converted from; null: none.
GreenContext* GreenContextOf(const Context* context);

// The stream's kernels run on the context's SMs.
void EnterGreenContext(Stream& stream, GreenContext& context);

// All work of the device's streams, or, unless `green` is null, of that
// context's, up to now or from now on. kCaptureUnsupported while one of the
// device's streams captures, and the captures end in failure.
Error RecordContextEvent(Device& device, const GreenContext* green,
                         Event& event);
Error ContextWaitEvent(Device& device, const GreenContext* green, Event& event);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_STREAM_GREEN_CONTEXT_H_

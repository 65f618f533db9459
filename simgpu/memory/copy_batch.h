// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_MEMORY_COPY_BATCH_H_
#define DLTAP_SIMGPU_MEMORY_COPY_BATCH_H_

#include <cstddef>
#include <vector>

#include "simgpu/base/error.h"
#include "simgpu/stream/stream.h"
#include "simgpu/stream/work.h"

namespace dltap::simgpu {

// Of cudaMemcpyBatchAsync and its kin: from which copy on each attribute
// counts.
struct BatchAttributes {
  const size_t* first = nullptr;
  size_t count = 0;
};

// What the documentation asks of every batch; the stream must be a real one and
// not capture.
Error CheckBatch(const Stream& stream, size_t copies,
                 const BatchAttributes& attributes);

// Stream, during the call, any: numbered as cudaMemcpySrcAccessOrder.
inline bool IsAccessOrder(int order) { return order >= 1 && order <= 3; }

// Submits the copies, all of them checked before.
Error RunBatch(Stream& stream, const std::vector<CopyWork>& copies);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_MEMORY_COPY_BATCH_H_

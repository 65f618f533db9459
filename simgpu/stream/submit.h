// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_STREAM_SUBMIT_H_
#define DLTAP_SIMGPU_STREAM_SUBMIT_H_

#include <cstdint>

#include "simgpu/base/error.h"
#include "simgpu/stream/stream_state.h"
#include "simgpu/stream/timeline.h"
#include "simgpu/stream/work.h"
#include "simgpu/stream/work_activity.h"

namespace dltap::simgpu {

// Puts work on a stream: captures it as a node while the stream captures; else
// gives it its time, does its memory effect and tells the activity client; or
// lets the host executor do so when what it follows is over (open_work.h).
// Takes the stream's mutex and no other on the way of a kernel.
Error Submit(Stream& stream, Work&& work);

// The last two of Submit()'s three acts, for work whose time is fixed and that
// is not open-ended. REQUIRES: stream.mutex.
void Execute(Stream& stream, const Work& work, const Span& span,
             const Origin& origin);

// The same on the host executor's thread, when all that the work follows is
// over.
void ExecuteLater(Stream& stream, const Work& work, const Span& span,
                  const Origin& origin);

// Puts the work behind all that its stream follows so far (work_order.h): when
// it is submitted, however late it is executed. The result belongs into its
// Origin.
Order NoteOrder(Stream& stream, const Work& work);

// What the execution of a kernel means beside its effect; nothing for other
// work. Part of Execute().
void NoteKernel(const Stream& stream, const Work& work, const Span& span);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_STREAM_SUBMIT_H_

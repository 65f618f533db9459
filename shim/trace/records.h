// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TRACE_RECORDS_H_
#define DLTAP_SHIM_TRACE_RECORDS_H_

#include "shim/trace/activity_records.h"
#include "shim/trace/definition_records.h"
#include "shim/trace/layout.h"
#include "shim/trace/sample_records.h"

// Records: the content of every block but kCalls, and of the ring file's
// definition area. FORMAT.md is the prose; both change together.
namespace dltap::trace {

#define DLTAP_RECORD_SIZES(X)                                                  \
  X(ProcessRecord, 40)                                                         \
  X(ClockRecord, 24)                                                           \
  X(EntryPointRecord, 16)                                                      \
  X(ArgRecord, 4)                                                              \
  X(TextRecord, 16)                                                            \
  X(KernelFunctionRecord, 32)                                                  \
  X(KernelVariantRecord, 72)                                                   \
  X(DeviceRecord, 72)                                                          \
  X(StreamRecord, 32)                                                          \
  X(StreamHandleRecord, 24) X(ThreadRecord, 24) X(OperationRecord, 16)         \
      X(OperationNode, 8) X(DimRecord, 16) X(VersionsRecord, 40)               \
          X(LibrariesRecord, 16) X(CommandRecord, 16) X(KernelRecord, 48)      \
              X(MemcpyRecord, 64) X(MemsetRecord, 64) X(LaunchApiRecord, 48)   \
                  X(GraphNodeRecord, 40) X(SyncRecord, 40) X(AnchorRecord, 48) \
                      X(CpuSampleRecord, 40) X(ProcessSampleRecord, 32)        \
                          X(WatermarkRecord, 24) X(NotObservedRecord, 32)      \
                              X(LossRecord, 24) X(CallCountRecord, 24)         \
                                  X(LevelRecord, 24) X(OverheadRecord, 40)     \
                                      X(EndRecord, 24) X(DelayRecord, 32)      \
                                          X(WindowRecord, 24)                  \
                                              X(SwitchesRecord, 56)            \
                                                  X(ThreadFramesRecord, 24)
#define X(type, size) \
  static_assert(sizeof(type) == (size), #type " is on disk; see FORMAT.md");
DLTAP_RECORD_SIZES(X)
#undef X
#undef DLTAP_RECORD_SIZES

}  // namespace dltap::trace

#endif  // DLTAP_SHIM_TRACE_RECORDS_H_

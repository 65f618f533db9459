// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TRACE_LOSSES_H_
#define DLTAP_SHIM_TRACE_LOSSES_H_

#include <cstdint>

// Every way in which a trace can lack or guess something: (id, number, key,
// meaning). Counted where it happens, written to the trace as Loss records,
// printed by every report, zeros included. Numbers are on disk: append only.
// X is a macro, so that shim and analyzer take the same list apart.
#define DLTAP_LOSSES(X)                                                  \
  X(kRingFull, 1, "ring_full",                                           \
    "calls dropped because the thread's ring was full")                  \
  X(kThreadCap, 2, "thread_cap",                                         \
    "calls dropped because too many threads were recorded")              \
  X(kRingUnavailable, 3, "ring_unavailable",                             \
    "calls dropped because no ring memory was ready for the thread")     \
  X(kSignalHandler, 4, "signal_handler",                                 \
    "calls dropped because a signal handler made them inside an append") \
  X(kWriteFailed, 5, "write_failed",                                     \
    "bytes not written because the file system refused them")            \
  X(kMaxMegabytes, 6, "max_mb",                                          \
    "records dropped because the trace had reached DLTAP_MAX_MB")        \
  X(kOverwritten, 7, "overwritten",                                      \
    "bytes of old segments deleted to keep the newest")                  \
  X(kDefinitionLost, 8, "definition_lost",                               \
    "definitions that found no room; their records use id 0")            \
  X(kRegistrationOverflow, 9, "registration_overflow",                   \
    "kernel registrations beyond the table, their names unknown")        \
  X(kTextTruncated, 10, "text_truncated",                                \
    "names cut because they were too long")                              \
  X(kActivityDropped, 11, "cupti_dropped",                               \
    "activity records that their source reported as dropped")            \
  X(kZeroTimestamp, 12, "zero_timestamp",                                \
    "activity records without a start or an end")                        \
  X(kBadActivity, 13, "bad_activity",                                    \
    "activity records that made no sense and were left out")             \
  X(kActivityYielded, 14, "cupti_yielded",                               \
    "times the activity source was left to another profiler")            \
  X(kActivityBuffer, 15, "activity_buffer",                              \
    "activity buffers whose records were dropped for want of memory")    \
  X(kFlushDeadline, 16, "flush_deadline",                                \
    "flushes that did not finish in time")                               \
  X(kOperationUnknown, 17, "operation_unknown",                          \
    "library calls whose shapes could not be decoded")                   \
  X(kObjectTableFull, 18, "object_table_full",                           \
    "opaque objects not followed because a table was full")              \
  X(kAnchorFailed, 19, "anchor_failed",                                  \
    "clock anchors not taken or too far apart")                          \
  X(kForkedChild, 20, "forked_child",                                    \
    "forked children that could not start a session")                    \
  X(kNegativeDuration, 21, "negative_duration",                          \
    "calls whose clock ran backwards, kept with duration 0")             \
  X(kCorrelationWrap, 22, "correlation_wrap",                            \
    "correlation ids that could not be widened with certainty")          \
  X(kGraphNodeUnknown, 23, "graph_node_unknown",                         \
    "graph nodes captured or added while nobody watched")                \
  X(kHandleStreamTable, 24, "handle_stream_table",                       \
    "stream changes of library handles that were not followed")          \
  X(kUnwrappedRoute, 25, "unwrapped_route",                              \
    "lookups of vendor functions by a route that is not wrapped")        \
  X(kCollectorLate, 26, "collector_late",                                \
    "drains that began more than a second late")                         \
  X(kSessionOpening, 27, "session_opening",                              \
    "calls only counted because the session was not open in time")       \
  X(kSiteUnknown, 28, "site_unknown",                                    \
    "calls whose launch site could not be taken")                        \
  X(kSiteTableFull, 29, "site_table_full",                               \
    "calls and looks whose path was one too many for the table")         \
  X(kOperandUnknown, 30, "operand_unknown",                              \
    "library calls that ran on tensors whose addresses were not found")  \
  X(kSwitchesLost, 31, "switches_lost",                                  \
    "context switches that were overwritten before they were read")      \
  /* Found by the reader, never written to a trace. */                   \
  X(kTornBlock, 64, "torn_block",                                        \
    "blocks at the end of a file that its writer did not finish")        \
  X(kCorruptBlock, 65, "corrupt_block",                                  \
    "blocks left out because their checksum or structure was wrong")     \
  X(kMissingSlots, 66, "missing_slots",                                  \
    "call slots missing between two blocks of a thread")                 \
  X(kUnknownRecord, 67, "unknown_record",                                \
    "records of a kind this version does not know")                      \
  X(kDanglingId, 68, "dangling_id",                                      \
    "records that name an id which no definition explains")              \
  X(kUnmappedTime, 69, "unmapped_time",                                  \
    "records whose time could not be mapped to the trace's clock")       \
  X(kRingMissing, 70, "ring_missing",                                    \
    "killed processes whose last records, in a ring file, are not there")

namespace dltap::trace {

enum class LossKind : uint32_t {
#define X(id, number, key, meaning) id = number,
  DLTAP_LOSSES(X)
#undef X
};

}  // namespace dltap::trace

#endif  // DLTAP_SHIM_TRACE_LOSSES_H_

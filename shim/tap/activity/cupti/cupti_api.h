// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_ACTIVITY_CUPTI_CUPTI_API_H_
#define DLTAP_SHIM_TAP_ACTIVITY_CUPTI_CUPTI_API_H_

#include <cuda.h>
#include <cupti.h>

namespace dltap::shim::cupti {

// The CUPTI functions that dltap calls: (member, function). The first list is
// in every supported CUPTI (11.0 and later); a member of the second may be
// null.
#define DLTAP_CUPTI_REQUIRED(X)                                  \
  X(get_version, cuptiGetVersion)                                \
  X(get_timestamp, cuptiGetTimestamp)                            \
  X(activity_register_callbacks, cuptiActivityRegisterCallbacks) \
  X(activity_enable, cuptiActivityEnable)                        \
  X(activity_disable, cuptiActivityDisable)                      \
  X(activity_flush_all, cuptiActivityFlushAll)                   \
  X(activity_get_next_record, cuptiActivityGetNextRecord)        \
  X(activity_get_dropped, cuptiActivityGetNumDroppedRecords)     \
  X(push_external_id, cuptiActivityPushExternalCorrelationId)    \
  X(pop_external_id, cuptiActivityPopExternalCorrelationId)
#define DLTAP_CUPTI_OPTIONAL(X)                        \
  X(set_attribute, cuptiActivitySetAttribute)          \
  X(enable_runtime_api, cuptiActivityEnableRuntimeApi) \
  X(enable_driver_api, cuptiActivityEnableDriverApi)   \
  X(get_thread_id_type, cuptiGetThreadIdType)          \
  X(set_thread_id_type, cuptiSetThreadIdType)          \
  X(subscribe, cuptiSubscribe)                         \
  X(unsubscribe, cuptiUnsubscribe)                     \
  X(enable_callback, cuptiEnableCallback)              \
  X(get_graph_node_id, cuptiGetGraphNodeId)            \
  X(get_graph_id, cuptiGetGraphId)                     \
  X(get_result_string, cuptiGetResultString)

// Filled from the library that is mapped in the process, or by a test.
struct CuptiApi {
#define X(member, function) decltype(&::function) member = nullptr;
  DLTAP_CUPTI_REQUIRED(X)
  DLTAP_CUPTI_OPTIONAL(X)
#undef X
};

// Fills `api` from a loaded libcupti, through `real`. False when a required
// function is missing.
bool FindCupti(void* (*real)(const char* symbol), CuptiApi* api);

// The library that `api` was filled from stays mapped from now on, whoever has
// loaded it and unloads it. False: it is gone already.
bool KeepMapped(const CuptiApi& api);

// The CUDA major versions whose libcupti may serve, the likeliest first; a 0
// ends them. `library`: of the mapped libcudart, or where that is linked
// statically of another library of the toolkit; 0: none is mapped. `driver`: 0:
// not known. A libcupti newer than the driver does not work.
struct CudaMajors {
  int majors[3];
};
CudaMajors MajorsToTry(int library, int driver);

// Makes sure that a libcupti is mapped: the one that is, else the one that
// lies beside the mapped libcudart, else by SONAME. False: there is none.
bool MapCupti(void* (*real)(const char* symbol));

}  // namespace dltap::shim::cupti

#endif  // DLTAP_SHIM_TAP_ACTIVITY_CUPTI_CUPTI_API_H_

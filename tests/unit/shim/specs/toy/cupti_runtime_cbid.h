// SPDX-License-Identifier: Apache-2.0
// As CUPTI's header of that name. toyMalloc has an id but no structure.
#ifndef DLTAP_TESTS_UNIT_SHIM_SPECS_TOY_CUPTI_RUNTIME_CBID_H_
#define DLTAP_TESTS_UNIT_SHIM_SPECS_TOY_CUPTI_RUNTIME_CBID_H_

typedef enum {
  CUPTI_RUNTIME_TRACE_CBID_toyBind_v3020 = 1,
  CUPTI_RUNTIME_TRACE_CBID_toyBind_v12000 = 2,
  CUPTI_RUNTIME_TRACE_CBID_toyMalloc_v3020 = 3,
} toyCallbackId;

#endif  // DLTAP_TESTS_UNIT_SHIM_SPECS_TOY_CUPTI_RUNTIME_CBID_H_

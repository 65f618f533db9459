// SPDX-License-Identifier: Apache-2.0
// As CUDA's header of that name.
#ifndef DLTAP_TESTS_UNIT_SHIM_SPECS_TOY_GENERATED_CUDA_RUNTIME_API_META_H_
#define DLTAP_TESTS_UNIT_SHIM_SPECS_TOY_GENERATED_CUDA_RUNTIME_API_META_H_

#include "toy.h"

typedef struct toyBind_v12000_params_st {
  toyStream_t stream;
  int* version;
  toyStream_t* bound;
} toyBind_v12000_params;

#endif  // DLTAP_TESTS_UNIT_SHIM_SPECS_TOY_GENERATED_CUDA_RUNTIME_API_META_H_

// SPDX-License-Identifier: Apache-2.0
// Five functions with everything the generator must understand.
#ifndef DLTAP_TESTS_UNIT_SHIM_SPECS_TOY_TOY_H_
#define DLTAP_TESTS_UNIT_SHIM_SPECS_TOY_TOY_H_

#include <stddef.h>

extern "C" {

typedef struct toyStream_st* toyStream_t;
typedef enum {
  toySuccess = 0,
  toyFailure = 7,
  toyNotSupported = 8
} toyStatus_t;
typedef enum { toyHostToDevice = 1, toyDeviceToHost = 300 } toyCopyKind_t;
typedef struct toyDim {
  unsigned x, y, z;
} toyDim;
typedef struct toyConfig {
  toyDim grid;
  size_t shared;
  toyStream_t stream;
} toyConfig;

#define toyLaunch toyLaunch_v2  // as vendors do: the raw name is what counts

toyStatus_t toyBind(toyStream_t stream, int* version, toyStream_t* bound);
toyStatus_t toyCopy(void* dst, const void* src, size_t width, size_t height,
                    toyCopyKind_t kind, toyStream_t stream);
const char* toyGetName(toyStatus_t status);
toyStatus_t toyLaunch(const toyConfig* config, const void* function,
                      toyDim block, double scale);
toyStatus_t toyMalloc(void** memory, size_t size);

static inline int toyHelper(int value) { return value; }  // not exported

}  // extern "C"

#endif  // DLTAP_TESTS_UNIT_SHIM_SPECS_TOY_TOY_H_

// SPDX-License-Identifier: Apache-2.0
// Every file of this folder includes the vendor's headers through this one, so
// that the compiler checks each definition, and definitions are exported.
#ifndef DLTAP_SIMGPU_CUPTI_CUPTI_HEADER_H_
#define DLTAP_SIMGPU_CUPTI_CUPTI_HEADER_H_

#pragma GCC visibility push(default)
#include <cupti.h>
#pragma GCC visibility pop

#endif  // DLTAP_SIMGPU_CUPTI_CUPTI_HEADER_H_

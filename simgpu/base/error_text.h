// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SIMGPU_BASE_ERROR_TEXT_H_
#define DLTAP_SIMGPU_BASE_ERROR_TEXT_H_

namespace dltap::simgpu {

// Identifiers of the headers; nullptr for a code that they do not know.
const char* RuntimeErrorName(int code);  // "cudaErrorInvalidValue"
const char* DriverErrorName(int code);   // "CUDA_ERROR_INVALID_VALUE"

// A sentence in the vendor's wording where programs look for it ("out of
// memory"); else the name in words. nullptr for an unknown code.
const char* ErrorDescription(int code);

}  // namespace dltap::simgpu

#endif  // DLTAP_SIMGPU_BASE_ERROR_TEXT_H_

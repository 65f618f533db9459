// SPDX-License-Identifier: Apache-2.0
// GENERATED from shim/specs/*.toml and the vendor headers by
// gen_entry_points.py. DO NOT EDIT.
#ifndef DLTAP_GENERATED_CUDA12_VERSIONS_H_
#define DLTAP_GENERATED_CUDA12_VERSIONS_H_

// What the headers of CUDA 12 say that they are.

#endif  // DLTAP_GENERATED_CUDA12_VERSIONS_H_

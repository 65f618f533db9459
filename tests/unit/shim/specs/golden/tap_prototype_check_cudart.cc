// SPDX-License-Identifier: Apache-2.0
// GENERATED from shim/specs/*.toml and the vendor headers by
// gen_entry_points.py. DO NOT EDIT.
// Compiles only if every wrapper has the ABI of the real prototype.
#include "tap_traits_cudart.h"

#include <toy.h>

#include <cstddef>

#include "shim/specs/abi_check.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace {

namespace abi = dltap::shim::abi;
using dltap::specs::SameAbi;

static_assert(SameAbi<decltype(static_cast<
    toyStatus_t (*)(toyStream_t, int *, toyStream_t *)>(&::toyBind)),
    int32_t (*)(void*, void*, void*)>);

static_assert(SameAbi<decltype(static_cast<
    toyStatus_t (*)(void *, const void *, size_t, size_t, toyCopyKind_t, toyStream_t)>(&::toyCopy)),
    int32_t (*)(void*, void*, uint64_t, uint64_t, int32_t, void*)>);

static_assert(SameAbi<decltype(static_cast<
    const char * (*)(toyStatus_t)>(&::toyGetName)),
    void* (*)(int32_t)>);

static_assert(SameAbi<decltype(static_cast<
    toyStatus_t (*)(const toyConfig *, const void *, toyDim, double)>(&::toyLaunch_v2)),
    int32_t (*)(void*, void*, abi::toyDim, double)>);
static_assert(offsetof(toyConfig, shared) == 16);
static_assert(offsetof(toyConfig, stream) == 24);
static_assert(offsetof(toyConfig, grid.x) == 0);

static_assert(SameAbi<decltype(static_cast<
    toyStatus_t (*)(void **, size_t)>(&::toyMalloc)),
    int32_t (*)(void*, uint64_t)>);

}  // namespace

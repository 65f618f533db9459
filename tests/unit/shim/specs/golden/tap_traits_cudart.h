// SPDX-License-Identifier: Apache-2.0
// GENERATED from shim/specs/*.toml and the vendor headers by
// gen_entry_points.py. DO NOT EDIT.
#ifndef DLTAP_GENERATED_TAP_TRAITS_CUDART_H_
#define DLTAP_GENERATED_TAP_TRAITS_CUDART_H_

#include <cstddef>
#include <cstdint>

#include "entry_points.h"
#include "abi_structs.h"
#include "shim/specs/pack.h"
#include "vocabulary.h"
#include "shim/tap/entry/gate.h"
#include "shim/tap/entry/traced.h"
#include "shim/tap/tagging/object_hooks.h"

namespace dltap::shim {

template <>
struct EntryTraits<specs::EntryPoint::kToyBind> {
  using Real = int32_t (*)(void*, void*, void*);
  static constexpr bool kHasHook = true;
  static constexpr specs::Library kLibrary = specs::Library::kCudart;
  static constexpr specs::Role kRole = specs::Role::kState;
  static constexpr specs::Kind kKind = specs::Kind::kOther;
  static constexpr specs::LayerClass kLayerClass =
      specs::LayerClass::kUnattributed;
  static constexpr bool kIsWork = false;
  static constexpr bool kBlocking = false;
  static constexpr bool kAutotune = false;
  static constexpr int kCounterIndex = 0;
  static void Before(void* stream_, void* /*version*/, void* /*bound*/) {
    CallBefore<hooks::ToyBind>(stream_);
  }
  static void After(int32_t result, void* stream_, void* /*version*/, void* /*bound*/) {
    CallAfter<hooks::ToyBind>(result, stream_);
  }
  static specs::LayerClass LayerClassOf(void* stream_, void* /*version*/, void* /*bound*/) {
    return CallLayerClass<hooks::ToyBind>(kLayerClass, stream_);
  }
};

template <>
struct EntryTraits<specs::EntryPoint::kToyCopy> {
  using Real = int32_t (*)(void*, void*, uint64_t, uint64_t, int32_t, void*);
  static constexpr bool kHasHook = false;
  static constexpr specs::Library kLibrary = specs::Library::kCudart;
  static constexpr specs::Role kRole = specs::Role::kRecord;
  static constexpr specs::Kind kKind = specs::Kind::kMemcpy;
  static constexpr specs::LayerClass kLayerClass =
      specs::LayerClass::kUnattributed;
  static constexpr bool kIsWork = true;
  static constexpr bool kBlocking = true;
  static constexpr bool kAutotune = false;
  static constexpr int kCounterIndex = 1;
  static constexpr int kPayloadBytes = 42;
  static void Pack([[maybe_unused]] uint8_t* payload,
                   [[maybe_unused]] bool succeeded,
                   void* dst_,
                   void* src_,
                   uint64_t width_,
                   uint64_t height_,
                   int32_t kind_,
                   void* stream_) {
    specs::Store<int64_t>(payload + 0, dst_);
    specs::Store<int64_t>(payload + 8, src_);
    specs::Store<int64_t>(payload + 16, width_);
    specs::Store<int64_t>(payload + 24, height_);
    specs::Store<int64_t>(payload + 32, stream_);
    specs::Store<int16_t>(payload + 40, kind_);
  }
};

template <>
struct EntryTraits<specs::EntryPoint::kToyGetName> {
  using Real = void* (*)(int32_t);
  static constexpr bool kHasHook = false;
  static constexpr specs::Library kLibrary = specs::Library::kCudart;
  static constexpr specs::Role kRole = specs::Role::kCount;
  static constexpr specs::Kind kKind = specs::Kind::kOther;
  static constexpr specs::LayerClass kLayerClass =
      specs::LayerClass::kUnattributed;
  static constexpr bool kIsWork = false;
  static constexpr bool kBlocking = false;
  static constexpr bool kAutotune = false;
  static constexpr int kCounterIndex = 2;
};

template <>
struct EntryTraits<specs::EntryPoint::kToyLaunch_v2> {
  using Real = int32_t (*)(void*, void*, abi::toyDim, double);
  static constexpr bool kHasHook = true;
  static constexpr specs::Library kLibrary = specs::Library::kCudart;
  static constexpr specs::Role kRole = specs::Role::kRecord;
  static constexpr specs::Kind kKind = specs::Kind::kLaunch;
  static constexpr specs::LayerClass kLayerClass =
      specs::LayerClass::kGemm;
  static constexpr bool kIsWork = true;
  static constexpr bool kBlocking = false;
  static constexpr bool kAutotune = false;
  static constexpr int kCounterIndex = 3;
  static constexpr int kPayloadBytes = 52;
  static void Pack([[maybe_unused]] uint8_t* payload,
                   [[maybe_unused]] bool succeeded,
                   void* config_,
                   void* function_,
                   abi::toyDim block_,
                   double scale_) {
    specs::CopyIf<8>(payload + 0, config_, 16);
    specs::CopyIf<8>(payload + 8, config_, 24);
    specs::Store<int64_t>(payload + 16, function_);
    specs::Store<int64_t>(payload + 24, scale_);
    specs::CopyIf<4>(payload + 32, config_, 0);
    specs::Store<int32_t>(payload + 36, block_.x);
    specs::Store<int32_t>(payload + 40, block_.y);
    specs::Store<int32_t>(payload + 44, block_.z);
    CallPack<hooks::ToyLaunch, 4>(payload + 48, succeeded, function_);
  }
  static void Before(void* /*config*/, void* function_, abi::toyDim /*block*/, double /*scale*/) {
    CallBefore<hooks::ToyLaunch>(function_);
  }
  static void After(int32_t result, void* /*config*/, void* function_, abi::toyDim /*block*/, double /*scale*/) {
    CallAfter<hooks::ToyLaunch>(result, function_);
  }
  static specs::LayerClass LayerClassOf(void* /*config*/, void* function_, abi::toyDim /*block*/, double /*scale*/) {
    return CallLayerClass<hooks::ToyLaunch>(kLayerClass, function_);
  }
};

template <>
struct EntryTraits<specs::EntryPoint::kToyMalloc> {
  using Real = int32_t (*)(void*, uint64_t);
  static constexpr bool kHasHook = false;
  static constexpr specs::Library kLibrary = specs::Library::kCudart;
  static constexpr specs::Role kRole = specs::Role::kRecord;
  static constexpr specs::Kind kKind = specs::Kind::kMalloc;
  static constexpr specs::LayerClass kLayerClass =
      specs::LayerClass::kUnattributed;
  static constexpr bool kIsWork = true;
  static constexpr bool kBlocking = false;
  static constexpr bool kAutotune = false;
  static constexpr int kCounterIndex = 4;
  static constexpr int kPayloadBytes = 16;
  static void Pack([[maybe_unused]] uint8_t* payload,
                   [[maybe_unused]] bool succeeded,
                   void* memory_,
                   uint64_t size_) {
    specs::CopyIf<8>(payload + 0, succeeded && size_ > 0 ? memory_ : nullptr, 0);
    specs::Store<int64_t>(payload + 8, size_);
  }
};

}  // namespace dltap::shim

#endif  // DLTAP_GENERATED_TAP_TRAITS_CUDART_H_

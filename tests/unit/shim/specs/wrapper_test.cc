// SPDX-License-Identifier: Apache-2.0
// Generated code of the toy spec, compiled against the smallest possible tap.
#include <gtest/gtest.h>

#include <cstring>

#include "shim/tap/entry/traced.h"
#include "tap_tables.h"
#include "toy.h"

namespace dltap::shim {
namespace {

using specs::EntryPoint;

template <typename T>
T FieldOfLastRecord(EntryPoint entry, const char* name) {
  const specs::ArgLayout& layout = specs::LayoutOf(entry);
  for (int i = 0; i < layout.field_count; ++i) {
    const specs::ArgField& field = specs::FieldsOf(layout)[i];
    if (std::strcmp(specs::NameOf(field), name) != 0) continue;
    EXPECT_EQ(field.width, sizeof(T)) << name;
    T value;
    std::memcpy(&value, g_payload + field.offset, sizeof(value));
    return value;
  }
  ADD_FAILURE() << "no field " << name;
  return T{};
}

template <typename Function>
void SetReal(EntryPoint entry, Function* function) {
  g_real[static_cast<int>(entry)] = reinterpret_cast<void*>(function);
}

TEST(WrapperTest, ArgumentsAndResultPassUntouched) {
  SetReal(
      EntryPoint::kToyCopy,
      +[](void* dst, const void* src, size_t width, size_t height,
          toyCopyKind_t kind, toyStream_t stream) {
        const bool same = dst == reinterpret_cast<void*>(1) &&
                          src == reinterpret_cast<void*>(2) && width == 3 &&
                          height == 4 && kind == toyDeviceToHost &&
                          stream == reinterpret_cast<toyStream_t>(5);
        return same ? toyFailure : toySuccess;
      });
  EXPECT_EQ(toyCopy(reinterpret_cast<void*>(1), reinterpret_cast<void*>(2), 3,
                    4, toyDeviceToHost, reinterpret_cast<toyStream_t>(5)),
            toyFailure);
  EXPECT_EQ(FieldOfLastRecord<uint64_t>(EntryPoint::kToyCopy, "dst"), 1u);
  EXPECT_EQ(FieldOfLastRecord<uint64_t>(EntryPoint::kToyCopy, "height"), 4u);
  EXPECT_EQ(FieldOfLastRecord<int16_t>(EntryPoint::kToyCopy, "kind"), 300);
  EXPECT_EQ(FieldOfLastRecord<uint64_t>(EntryPoint::kToyCopy, "stream"), 5u);
}

TEST(WrapperTest, StructuresAreRecordedByValueAndByPointer) {
  SetReal(
      EntryPoint::kToyLaunch_v2,
      +[](const toyConfig*, const void*, toyDim block, double scale) {
        return block.z == 30 && scale == 0.5 ? toySuccess : toyFailure;
      });
  const toyConfig config = {{7, 8, 9}, 100, reinterpret_cast<toyStream_t>(6)};
  int kernel = 0;
  EXPECT_EQ(toyLaunch(&config, &kernel, {10, 20, 30}, 0.5), toySuccess);
  constexpr EntryPoint kLaunch = EntryPoint::kToyLaunch_v2;
  EXPECT_EQ(FieldOfLastRecord<uint32_t>(kLaunch, "config.grid.x"), 7u);
  EXPECT_EQ(FieldOfLastRecord<uint64_t>(kLaunch, "config.shared"), 100u);
  EXPECT_EQ(FieldOfLastRecord<uint64_t>(kLaunch, "config.stream"), 6u);
  EXPECT_EQ(FieldOfLastRecord<void*>(kLaunch, "function"), &kernel);
  EXPECT_EQ(FieldOfLastRecord<uint32_t>(kLaunch, "block.z"), 30u);
  EXPECT_EQ(FieldOfLastRecord<double>(kLaunch, "scale"), 0.5);
  EXPECT_EQ(FieldOfLastRecord<uint32_t>(kLaunch, "operation") & 0xFF, 42u)
      << "the hook packs this field";
}

TEST(WrapperTest, NullStructurePointerIsRecordedAsZeros) {
  SetReal(
      EntryPoint::kToyLaunch_v2, +[](const toyConfig*, const void*, toyDim,
                                     double) { return toyFailure; });
  EXPECT_EQ(toyLaunch(nullptr, nullptr, {}, 0), toyFailure);
  EXPECT_EQ(
      FieldOfLastRecord<uint64_t>(EntryPoint::kToyLaunch_v2, "config.shared"),
      0u);
}

TEST(WrapperTest, OutputsAreReadAfterSuccessOnly) {
  SetReal(
      EntryPoint::kToyMalloc, +[](void** memory, size_t size) {
        *memory = reinterpret_cast<void*>(0x1234);
        return size == 64 ? toySuccess : toyFailure;
      });
  void* memory = nullptr;
  EXPECT_EQ(toyMalloc(&memory, 64), toySuccess);
  EXPECT_EQ(FieldOfLastRecord<uint64_t>(EntryPoint::kToyMalloc, "memory"),
            0x1234u);
  EXPECT_EQ(toyMalloc(&memory, 65), toyFailure);
  EXPECT_EQ(FieldOfLastRecord<uint64_t>(EntryPoint::kToyMalloc, "memory"), 0u);
}

TEST(WrapperTest, AnArrayWithoutElementsIsNotRead) {
  SetReal(EntryPoint::kToyMalloc, +[](void**, size_t) { return toySuccess; });
  EXPECT_EQ(toyMalloc(reinterpret_cast<void**>(8), 0), toySuccess);
  EXPECT_EQ(FieldOfLastRecord<uint64_t>(EntryPoint::kToyMalloc, "memory"), 0u);
}

TEST(WrapperTest, HookSeesSelectedArgumentsAndTheResult) {
  SetReal(
      EntryPoint::kToyBind,
      +[](toyStream_t, int*, toyStream_t*) { return toyFailure; });
  EXPECT_EQ(toyBind(reinterpret_cast<toyStream_t>(9), nullptr, nullptr),
            toyFailure);
  EXPECT_EQ(hooks::ToyBind::bound, reinterpret_cast<void*>(9));
  EXPECT_EQ(hooks::ToyBind::status, toyFailure);
}

TEST(TablesTest, EveryWrapperIsFoundByItsRawName) {
  for (int i = 0; i < specs::kCounterCount; ++i) {
    const EntryPoint entry = specs::OfCounter(i);
    EXPECT_EQ(specs::CounterOf(entry), i);
    EXPECT_EQ(specs::FindWrapped(specs::SymbolOf(entry)),
              static_cast<int>(entry));
  }
  EXPECT_EQ(specs::FindWrapped("toyLaunch"), -1) << "a macro, not a symbol";
  EXPECT_EQ(specs::FindWrapped(""), -1);
  EXPECT_EQ(specs::WrapperAddress(EntryPoint::kToyMalloc),
            reinterpret_cast<void*>(&toyMalloc));
  EXPECT_STREQ(specs::SonamePrefix(specs::Library::kCudart), "libtoy");
}

}  // namespace
}  // namespace dltap::shim

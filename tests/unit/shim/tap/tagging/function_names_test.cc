// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/tagging/function_names.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "shim/tap/tagging/object_hooks.h"
#include "tests/unit/shim/tap/tagging/fake_tagging_runtime.h"

namespace dltap::shim::tagging {
namespace {

int g_objects[16];

uint64_t Handle(int i) { return reinterpret_cast<uint64_t>(&g_objects[i]); }

TEST(FunctionNamesTest, RegisteredStubIsNamedAtItsFirstLaunch) {
  FakeTaggingRuntime runtime;
  hooks::RegisterFunction::After(&g_objects[0], &g_objects[1], "_Z3addPf");
  EXPECT_TRUE(runtime.functions.empty());
  g_function_names.Note(Handle(1), 1);
  EXPECT_EQ(runtime.functions[Handle(1)], "_Z3addPf");
}

TEST(FunctionNamesTest, NameOfAnUnloadedLibraryIsNeverRead) {
  FakeTaggingRuntime runtime;
  std::string name = "_Z4gonePf";
  hooks::RegisterFunction::After(&g_objects[2], &g_objects[3], name.c_str());
  hooks::UnregisterFatBinary::Before(&g_objects[2]);
  name.assign("xxxxxxxxx");
  g_function_names.Note(Handle(3), 1);
  EXPECT_EQ(runtime.functions.count(Handle(3)), 0u);
}

// Unloaded by a way that nobody saw.
TEST(FunctionNamesTest, NameInMemoryThatIsGoneIsUnknown) {
  FakeTaggingRuntime runtime;
  const long page = sysconf(_SC_PAGESIZE);
  auto* memory = static_cast<char*>(mmap(nullptr, static_cast<size_t>(page) * 2,
                                         PROT_READ | PROT_WRITE,
                                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  char* name = memory + page - 5;  // runs into the second page
  strcpy(name, "_Z7twoPagesPf");
  hooks::RegisterFunction::After(&g_objects[12], &g_objects[13], name);
  hooks::RegisterFunction::After(&g_objects[12], &g_objects[14], name);
  g_function_names.Note(Handle(13), 1);
  EXPECT_EQ(runtime.functions[Handle(13)], "_Z7twoPagesPf");
  munmap(memory, static_cast<size_t>(page) * 2);
  g_function_names.Note(Handle(14), 1);
  EXPECT_EQ(runtime.functions.count(Handle(14)), 0u);
}

TEST(FunctionNamesTest, StubOfTheNextLibraryHasItsOwnName) {
  FakeTaggingRuntime runtime;
  hooks::RegisterFunction::After(&g_objects[10], &g_objects[11], "_Z3oldPf");
  g_function_names.Note(Handle(11), 1);
  hooks::UnregisterFatBinary::Before(&g_objects[10]);
  hooks::RegisterFunction::After(&g_objects[10], &g_objects[11], "_Z3newPf");
  g_function_names.Note(Handle(11), 1);
  EXPECT_EQ(runtime.functions[Handle(11)], "_Z3newPf");
}

TEST(FunctionNamesTest, HandleThatComesBackWithAnotherNameIsDefinedAgain) {
  FakeTaggingRuntime runtime;
  void* function = &g_objects[4];
  hooks::NamedFunction::After(0, &function, "first");
  g_function_names.Note(Handle(4), 1);
  EXPECT_EQ(runtime.functions[Handle(4)], "first");
  hooks::NamedFunction::After(0, &function, "second");
  g_function_names.Note(Handle(4), 1);
  EXPECT_EQ(runtime.functions[Handle(4)], "second");
}

TEST(FunctionNamesTest, FailedLookupNamesNothing) {
  FakeTaggingRuntime runtime;
  void* function = &g_objects[5];
  hooks::NamedFunction::After(500, &function, "absent");
  g_function_names.Note(Handle(5), 1);
  EXPECT_EQ(runtime.functions.count(Handle(5)), 0u);
}

TEST(FunctionNamesTest, AliasHasTheNameOfItsSource) {
  FakeTaggingRuntime runtime;
  hooks::RegisterFunction::After(&g_objects[6], &g_objects[7], "_Z3mulPf");
  void* function = &g_objects[8];
  hooks::FunctionAlias::After(0, &function, &g_objects[7]);
  g_function_names.Note(Handle(8), 1);
  EXPECT_EQ(runtime.functions[Handle(8)], "_Z3mulPf");
}

TEST(FunctionNamesTest, AliasOfALongNameHasAllOfIt) {
  FakeTaggingRuntime runtime;
  const std::string name(10'000, 'k');
  hooks::RegisterFunction::After(&g_objects[6], &g_objects[15], name.c_str());
  void* function = &g_objects[8];
  hooks::FunctionAlias::After(0, &function, &g_objects[15]);
  g_function_names.Note(Handle(8), 1);
  EXPECT_EQ(runtime.functions[Handle(8)], name);
  EXPECT_EQ(runtime.losses, 0);
}

TEST(FunctionNamesTest, NameThatIsCutIsCounted) {
  FakeTaggingRuntime runtime;
  const std::string name(100'000, 'k');
  void* function = &g_objects[8];
  hooks::NamedFunction::After(0, &function, name.c_str());
  g_function_names.Note(Handle(8), 1);
  EXPECT_EQ(runtime.functions[Handle(8)], name.substr(0, (16 << 10) - 1));
  EXPECT_EQ(runtime.losses, 1);
}

TEST(FunctionNamesTest, EachSessionDefinesItsOwnNames) {
  FakeTaggingRuntime runtime;
  hooks::RegisterFunction::After(&g_objects[9], &g_objects[10], "_Z3subPf");
  g_function_names.Note(Handle(10), 1);
  runtime.functions.clear();
  g_function_names.Note(Handle(10), 1);
  EXPECT_TRUE(runtime.functions.empty());
  g_function_names.Note(Handle(10), 9);
  EXPECT_EQ(runtime.functions.size(), 1u);
}

}  // namespace
}  // namespace dltap::shim::tagging

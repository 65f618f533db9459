// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/elf_symbols.h"

#include <dlfcn.h>

#include <string_view>

#include "gtest/gtest.h"
#include "shim/tap/entry/loaded_objects.h"

namespace dltap::shim {
namespace {

TEST(LoadedObjectsTest, FindsWhatTheDynamicLinkerFinds) {
  for (const char* name : {"dlsym", "pthread_create", "gettid"}) {
    EXPECT_EQ(FindLibcFunction(name), dlsym(RTLD_DEFAULT, name)) << name;
  }
  EXPECT_EQ(FindLibcFunction("no_such_function"), nullptr);
}

TEST(LoadedObjectsTest, FindsALibraryByTheBeginOfItsName) {
  void* found = FindVendorFunction("libstdc++.so", "__cxa_demangle", nullptr);
  EXPECT_EQ(found, dlsym(RTLD_DEFAULT, "__cxa_demangle"));
  EXPECT_EQ(FindVendorFunction("libstdc--.so", "__cxa_demangle", nullptr),
            nullptr);
  EXPECT_EQ(FindVendorFunction("", "malloc", nullptr), nullptr);
}

TEST(LoadedObjectsTest, NeverFindsOurOwn) {
  // In this test "our object" is the program, which defines the wrappers.
  EXPECT_TRUE(FactsOf(reinterpret_cast<void*>(&FindAnyFunction), "x").is_ours);
  EXPECT_EQ(FindAnyFunction("cudaMalloc"), nullptr);
}

TEST(LoadedObjectsTest, FactsTellTheCallersObject) {
  const ObjectFacts libc =
      FactsOf(dlsym(RTLD_DEFAULT, "gettid"), "pthread_create");
  EXPECT_TRUE(libc.found);
  EXPECT_TRUE(libc.defines_symbol);
  EXPECT_FALSE(libc.is_interposer);  // its dlsym is the real one
  EXPECT_FALSE(libc.is_vendor);
  EXPECT_FALSE(FactsOf(nullptr, "x").found);
}

int CompareAllSymbols(dl_phdr_info* info, size_t, void*) {
  const ElfObject object = ElfObject::FromPhdrInfo(*info);
  if (std::string_view(object.soname()) != "libm.so.6") return 0;
  for (const char* name : {"lgamma", "cbrt"}) {
    EXPECT_NE(object.FindFunction(name), nullptr) << name;
  }
  EXPECT_EQ(object.FindFunction("malloc"), nullptr);
  EXPECT_STREQ(object.Needed(0), "libc.so.6");
  return 1;
}

TEST(ElfObjectTest, ReadsSonameNeededAndDefinitions) {
  EXPECT_EQ(dl_iterate_phdr(CompareAllSymbols, nullptr), 1);
}

}  // namespace
}  // namespace dltap::shim

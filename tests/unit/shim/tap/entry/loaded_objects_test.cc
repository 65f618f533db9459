// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/loaded_objects.h"

#include <dlfcn.h>

#include <string_view>

#include "gtest/gtest.h"
#include "shim/tap/entry/call_sites.h"
#include "shim/tap/entry/elf_symbols.h"
#include "shim/tap/entry/loader_watch.h"
#include "shim/tap/entry/real_functions.h"
#include "shim/tap/entry/symbol_scope.h"

namespace dltap::shim {
namespace {

const char kThis = 0;  // lies in the program

// In these tests "our object" is the program, which defines the wrappers.

TEST(LoadedObjectsTest, NextDlsymIsTheCLibrarys) {
  EXPECT_EQ(FindNextOf("dlsym"), dlsym(RTLD_DEFAULT, "dlsym"));
  EXPECT_EQ(FindNextOf("dlvsym"), dlsym(RTLD_DEFAULT, "dlvsym"));
}

TEST(LoadedObjectsTest, ObjectsAreFoundByAddressAndByName) {
  const void* function = dlsym(RTLD_DEFAULT, "__cxa_demangle");
  WithLoadedObjects([&](const LoadedObjects& objects) {
    const int object = objects.Containing(function);
    ASSERT_NE(object, LoadedObjects::kNone);
    EXPECT_EQ(objects.Named("libstdc++.so.6"), object);
    EXPECT_EQ(objects.Named("/some/where/libstdc++.so.6"), object);
    EXPECT_EQ(objects.Named("libstdc++.so.7"), LoadedObjects::kNone);
    EXPECT_TRUE(objects[objects.Ours()].Contains(&kThis));
    EXPECT_EQ(objects.Containing(nullptr), LoadedObjects::kNone);
  });
}

TEST(DefinitionsTest, TheOnlyOneIsForAll) {
  WithLoadedObjects([&](const LoadedObjects& objects) {
    const Definitions known(objects, "__cxa_demangle", "libstdc++.so");
    EXPECT_EQ(known.FunctionOf(known.ForAll()),
              dlsym(RTLD_DEFAULT, "__cxa_demangle"));
    const Definitions own(objects, "cudaMalloc", "libcudart.so");
    EXPECT_EQ(own.ForAll(), LoadedObjects::kNone);
    EXPECT_EQ(own.FunctionOf(own.ForCaller(&kThis)), nullptr);
  });
}

TEST(LoaderWatchTest, ALoadMovesIt) {
  SettleRealFunctions();
  EXPECT_FALSE(LoaderMoved());
  EXPECT_TRUE(LoaderIsAsSettled());
  // A library that nothing here is linked to.
  void* library = dlopen("libresolv.so.2", RTLD_NOW);
  ASSERT_NE(library, nullptr);
  EXPECT_TRUE(LoaderMoved());
  SettleRealFunctions();
  EXPECT_FALSE(LoaderMoved());
  dlclose(library);
  EXPECT_FALSE(LoaderMoved());  // an unload alone is seen by those without lock
  EXPECT_FALSE(LoaderIsAsSettled());
}

TEST(LoaderWatchTest, IsSettledAlsoWhenNothingWasLoaded) {
  SettleRealFunctions();
  g_loader.settled.store(0);
  SettleRealFunctions();
  EXPECT_FALSE(LoaderMoved());
}

TEST(CallSitesTest, AreToldApartByFunctionAndPlace) {
  int real = 0, other = 0;
  EXPECT_EQ(FindForCallSite(&kThis, 3), nullptr);
  KeepForCallSite(&kThis, 3, &real);
  KeepForCallSite(&kThis, 4, &other);
  EXPECT_EQ(FindForCallSite(&kThis, 3), &real);
  EXPECT_EQ(FindForCallSite(&kThis, 4), &other);
  EXPECT_EQ(FindForCallSite(&kThis + 1, 3), nullptr);
  ForgetCallSites();
  EXPECT_EQ(FindForCallSite(&kThis, 3), nullptr);
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

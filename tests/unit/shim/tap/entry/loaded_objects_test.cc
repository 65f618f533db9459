// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/loaded_objects.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <string_view>
#include <thread>

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

// A process that is forked while a thread of its parent has the loader's lock.
class LostLockTest : public testing::Test {
 protected:
  // Exit status of a child that does `work`, forked while another thread is in
  // `hold(wait)`, where it calls `wait`.
  template <typename Hold, typename Work>
  int StatusOfChild(Hold hold, Work work) {
    std::atomic<bool> is_held{false}, is_over{false};
    std::thread holder([&] {
      hold([&] {
        is_held = true;
        while (!is_over) std::this_thread::yield();
      });
    });
    while (!is_held) std::this_thread::yield();
    const pid_t child = fork();
    if (child == 0) {
      alarm(10);
      _exit(work());
    }
    is_over = true;
    holder.join();
    int status = -1;
    waitpid(child, &status, 0);
    return status;
  }
};

TEST_F(LostLockTest, ObjectsAreThoseKnownAtTheFork) {
  SettleRealFunctions();
  const auto unwind = [](auto wait) {
    dl_iterate_phdr(
        [](dl_phdr_info*, size_t, void* data) {
          (*static_cast<decltype(wait)*>(data))();
          return 1;
        },
        &wait);
  };
  const auto work = [] {
    int visits = 0;
    for (int i = 0; i < 2; ++i) visits += FactsOf(&kThis, "").is_ours;
    return visits;
  };
  EXPECT_EQ(StatusOfChild(unwind, work), 2 << 8);
}

TEST_F(LostLockTest, WhatAnotherThreadWasInIsLetAlone) {
  SettleRealFunctions();
  const auto visit = [](auto wait) {
    WithLoadedObjects([&](const LoadedObjects&) { wait(); });
  };
  const auto work = [] { return FactsOf(&kThis, "").found ? 1 : 0; };
  EXPECT_EQ(StatusOfChild(visit, work), 0);
}

TEST_F(LostLockTest, ALockThatIsFreeIsTaken) {
  SettleRealFunctions();
  const auto nothing = [](auto wait) { wait(); };
  const auto work = [] {
    void* library = dlopen("libresolv.so.2", RTLD_NOW);
    const bool moved = LoaderMoved();
    SettleRealFunctions();
    return library != nullptr && moved && !LoaderMoved() ? 7 : 1;
  };
  EXPECT_EQ(StatusOfChild(nothing, work), 7 << 8);
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

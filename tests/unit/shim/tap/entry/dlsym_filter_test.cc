// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/dlsym_filter.h"

#include <dlfcn.h>

#include "gtest/gtest.h"

namespace dltap::shim {
namespace {

// A framework that asks its own library handle for a wrapped name.
Lookup FromFramework() {
  Lookup lookup = {&lookup, "cudaMalloc", true, {}};
  lookup.caller.found = true;
  return lookup;
}

TEST(DlsymFilterTest, FrameworkGetsTheWrapper) {
  EXPECT_EQ(Decide(FromFramework()), LookupAction::kWrap);
}

TEST(DlsymFilterTest, NextPassesUnlessItWouldFindUs) {
  Lookup lookup = FromFramework();
  lookup.handle = RTLD_NEXT;
  EXPECT_EQ(Decide(lookup), LookupAction::kPass);
  lookup.caller.precedes_us = true;
  EXPECT_EQ(Decide(lookup), LookupAction::kNext);
  lookup.is_wrapped = false;
  EXPECT_EQ(Decide(lookup), LookupAction::kPass);
}

TEST(DlsymFilterTest, DefaultMustNotEndAtOurselves) {
  Lookup lookup = FromFramework();
  lookup.handle = RTLD_DEFAULT;
  EXPECT_EQ(Decide(lookup), LookupAction::kResolve);
}

TEST(DlsymFilterTest, UnknownNamesPass) {
  Lookup lookup = FromFramework();
  lookup.is_wrapped = false;
  EXPECT_EQ(Decide(lookup), LookupAction::kPass);
}

TEST(DlsymFilterTest, VendorLibrariesGetTheirOwnFunctions) {
  Lookup lookup = FromFramework();
  lookup.caller.is_vendor = true;  // libcudnn's lazy shim would recurse
  EXPECT_EQ(Decide(lookup), LookupAction::kPass);
}

TEST(DlsymFilterTest, OtherInterposersAndOurselvesPass) {
  Lookup lookup = FromFramework();
  lookup.caller.is_interposer = true;
  EXPECT_EQ(Decide(lookup), LookupAction::kPass);
  lookup.caller = {};
  lookup.caller.is_ours = true;
  EXPECT_EQ(Decide(lookup), LookupAction::kPass);
}

TEST(DlsymFilterTest, StubOfTheSameNameGetsTheRealOne) {
  Lookup lookup = FromFramework();
  lookup.caller.defines_symbol = true;  // libtensorflow_framework
  EXPECT_EQ(Decide(lookup), LookupAction::kPass);
}

TEST(DlsymFilterTest, NamesAreToldApartByTheirBegin) {
  for (const char* name :
       {"cudaMalloc", "cuInit", "cublasCreate_v2", "cudnnCreate",
        "ncclAllReduce", "nvmlInit_v2", "nvtxMarkA", "__cudaLaunchKernel",
        "cuptiFinalize"}) {
    EXPECT_TRUE(IsVendorName(name)) << name;
  }
  for (const char* name : {"", "c", "n", "_", "__", "__c", "malloc", "clock",
                           "__cxa_throw", "ncurses_x"}) {
    EXPECT_EQ(IsVendorName(name), name[0] == 'n' && name[1] == 'c') << name;
  }
}

}  // namespace
}  // namespace dltap::shim

// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/framework_versions.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "gtest/gtest.h"
#include "tests/support/temp_dir.h"

namespace dltap::shim {
namespace {

namespace fs = std::filesystem;

std::string VersionOf(const char* entry, const char* distribution) {
  char version[kMaxVersionText] = "";
  return ReadVersion(entry, distribution, version, sizeof(version)) ? version
                                                                    : "none";
}

TEST(FrameworkVersionsTest, FoldersOfDistributionsTellVersions) {
  EXPECT_EQ(VersionOf("torch-2.11.0.dist-info", "torch"), "2.11.0");
  EXPECT_EQ(VersionOf("torch-2.11.0+cu130.dist-info", "torch"), "2.11.0+cu130");
  EXPECT_EQ(VersionOf("mxnet_cu112-1.9.1.dist-info", "mxnet"), "1.9.1");
  EXPECT_EQ(VersionOf("tensorflow_gpu-2.8.0rc1.dist-info", "tensorflow"),
            "2.8.0rc1");
}

TEST(FrameworkVersionsTest, WhatIsInstalledBesideAFrameworkIsNotIt) {
  for (const char* entry :
       {"torch", "torch_geometric-2.6.1.dist-info", "torchvision-0.2.dist-info",
        "torch_cuda_tools-1.0.dist-info", "torch-2.11.0", "torch-.dist-info",
        "torch_cu-1.dist-info", "torch_gpu", "torch-x.dist-info"}) {
    EXPECT_EQ(VersionOf(entry, "torch"), "none") << entry;
  }
  EXPECT_EQ(VersionOf("jax_cuda13_plugin-0.8.0.dist-info", "jax"), "none");
}

TEST(FrameworkVersionsTest, AVersionThatHasNoRoomIsUnknown) {
  const std::string entry = "torch-1" + std::string(60, '0') + ".dist-info";
  EXPECT_EQ(VersionOf(entry.c_str(), "torch"), "none");
}

// A library of this machine, loaded from where a framework would have its own.
class LoadedFromTest : public testing::Test {
 protected:
  void Load(const char* file) {
    const fs::path path = dir_.path() + file;
    fs::create_directories(path.parent_path());
    Dl_info any;
    ASSERT_NE(dladdr(dlsym(RTLD_DEFAULT, "__cxa_demangle"), &any), 0);
    fs::copy_file(any.dli_fname, path);
    library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library_, nullptr) << dlerror();
  }
  void Install(const char* distribution) {
    fs::create_directories(fs::path(dir_.path()) / distribution);
  }
  static FrameworkVersion Found(size_t i) {
    FrameworkVersions versions;
    FindFrameworks(&versions);
    return versions[i];
  }
  void TearDown() override {
    if (library_ != nullptr) dlclose(library_);
  }

  static constexpr size_t kTorch = 0;
  static constexpr size_t kJax = 2;

 private:
  TempDir dir_;
  void* library_ = nullptr;
};

TEST_F(LoadedFromTest, TheLoadedPackagesFolderIsAsked) {
  EXPECT_FALSE(Found(kTorch).is_loaded);
  for (int i = 0; i < 400; ++i) {  // more than one reading of the folder
    Install(("package_" + std::to_string(i) + "-1.0.dist-info").c_str());
  }
  Install("torch-2.11.0.dist-info");
  Load("/torch/lib/libtorch_cuda.so");
  EXPECT_TRUE(Found(kTorch).is_loaded);
  EXPECT_STREQ(Found(kTorch).text, "2.11.0");
  EXPECT_FALSE(Found(kJax).is_loaded);
}

TEST_F(LoadedFromTest, WithoutAnInstalledDistributionTheVersionIsUnknown) {
  Load("/jax_plugins/xla_cuda13/xla_cuda_plugin.so");
  EXPECT_TRUE(Found(kJax).is_loaded);
  EXPECT_STREQ(Found(kJax).text, "");
}

}  // namespace
}  // namespace dltap::shim

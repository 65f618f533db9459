// SPDX-License-Identifier: Apache-2.0
#include "shim/tap/entry/framework_versions.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "gtest/gtest.h"
#include "shim/tap/entry/loaded_objects.h"
#include "shim/tap/entry/loader_watch.h"
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
        "torch_cu-1.dist-info", "torch_gpu", "torch-x.dist-info",
        "torch-2.11.0.dist-info.bak", "torch-2.1\n.dist-info",
        "torch-2\x1b[1m.dist-info"}) {
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
    loaded_ = path;
    library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library_, nullptr) << dlerror();
  }
  // Maps a file of that name, not by the loader.
  void Map(const char* file, int access) {
    const fs::path path = dir_.path() + file;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << "text";
    const int fd = open(path.c_str(), O_RDONLY);
    mapped_ = mmap(nullptr, 1, access, MAP_PRIVATE, fd, 0);
    close(fd);
    ASSERT_NE(mapped_, MAP_FAILED);
  }
  void Install(const char* distribution) {
    fs::create_directories(fs::path(dir_.path()) / distribution);
  }
  static FrameworkVersion Found(size_t i) {
    FrameworkSearch search{};
    FindFrameworks(&search);
    return search.found[i];
  }
  // While the program has no descriptor left.
  static void FindWithoutDescriptors(FrameworkSearch* search) {
    rlimit limit;
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
    const rlimit none = {0, limit.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
    FindFrameworks(search);
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  void TearDown() override {
    if (library_ != nullptr) dlclose(library_);
    if (mapped_ != MAP_FAILED) munmap(mapped_, 1);
  }

  static constexpr size_t kTorch = 0;
  static constexpr size_t kJax = 2;

  TempDir dir_;
  fs::path loaded_;

 private:
  void* library_ = nullptr;
  void* mapped_ = MAP_FAILED;
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

// Which of them is loaded, their names do not say.
TEST_F(LoadedFromTest, OfSeveralInstalledVersionsNoneIsTold) {
  Install("torch-2.10.0.dist-info");
  Install("torch_cu126-2.11.0.dist-info");
  Load("/torch/lib/libtorch_cuda.so");
  EXPECT_TRUE(Found(kTorch).is_loaded);
  EXPECT_STREQ(Found(kTorch).text, "");
}

// An upgrade while the program runs: the folder tells of the new one.
TEST_F(LoadedFromTest, TheFolderOfADeletedLibraryIsNotAsked) {
  Load("/torch/lib/libtorch_cuda.so");
  fs::remove(loaded_);
  Install("torch-3.0.dist-info");
  EXPECT_TRUE(Found(kTorch).is_loaded);
  EXPECT_STREQ(Found(kTorch).text, "");
}

TEST_F(LoadedFromTest, WhatWasFoundStaysWhenNothingCanBeReadAnyMore) {
  Install("torch-2.11.0.dist-info");
  Load("/torch/lib/libtorch_cuda.so");
  FrameworkSearch search{};
  FindFrameworks(&search);
  search.loads = 0;
  FindWithoutDescriptors(&search);
  EXPECT_TRUE(search.found[kTorch].is_loaded);
  EXPECT_STREQ(search.found[kTorch].text, "2.11.0");
}

TEST_F(LoadedFromTest, WhatCouldNotBeReadIsLookedForAgain) {
  WithLoadedObjects(WatchLoader);
  Install("torch-2.11.0.dist-info");
  Load("/torch/lib/libtorch_cuda.so");
  FrameworkSearch search{};
  FindWithoutDescriptors(&search);
  EXPECT_FALSE(search.found[kTorch].is_loaded);
  FindFrameworks(&search);
  EXPECT_STREQ(search.found[kTorch].text, "2.11.0");
}

// A backup, a debugger: no code of it runs here.
TEST_F(LoadedFromTest, AFileThatIsOnlyReadIsNotLoaded) {
  Map("/torch/lib/libtorch_cuda.so", PROT_READ);
  EXPECT_FALSE(Found(kTorch).is_loaded);
}

TEST_F(LoadedFromTest, NothingIsReadWhileNothingIsLoaded) {
  WithLoadedObjects(WatchLoader);
  ASSERT_NE(LoadsSoFar(), 0u);
  FrameworkSearch search{};
  FindFrameworks(&search);
  Map("/torch/lib/libtorch_cuda.so", PROT_READ | PROT_EXEC);
  FindFrameworks(&search);
  EXPECT_FALSE(search.found[kTorch].is_loaded) << "without the loader";
  Load("/other/any.so");
  FindFrameworks(&search);
  EXPECT_TRUE(search.found[kTorch].is_loaded);
}

TEST_F(LoadedFromTest, WithoutAnInstalledDistributionTheVersionIsUnknown) {
  Load("/jax_plugins/xla_cuda13/xla_cuda_plugin.so");
  EXPECT_TRUE(Found(kJax).is_loaded);
  EXPECT_STREQ(Found(kJax).text, "");
}

}  // namespace
}  // namespace dltap::shim

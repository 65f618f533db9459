// SPDX-License-Identifier: Apache-2.0
#include "analyzer/control/xla_toolkit.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "tests/support/temp_dir.h"

namespace dltap::analyzer {
namespace {

namespace fs = std::filesystem;

// A virtual environment, a build tree and a cache in a temporary directory.
class XlaToolkitTest : public ::testing::Test {
 protected:
  std::string Write(const std::string& name, const std::string& text = "x") {
    fs::create_directories(fs::path(dir_.path() + "/" + name).parent_path());
    const std::string path = dir_.Write(name, text);
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }
  void Package(const std::string& name) {
    Write("venv/lib/python3.11/site-packages/" + name);
  }
  std::string Toolkit(const std::string& name) {
    Write(name + "/bin/ptxas");
    Write(name + "/nvvm/libdevice/libdevice.10.bc");
    return dir_.path() + "/" + name;
  }
  std::string FoundWithHome(const std::string& home) {
    return FetchedToolkitForXla(
        {python_, "train.py"}, InstallPaths(dir_.path() + "/build/bin"),
        {{"HOME", home}, {"PATH", dir_.path() + "/path"}});
  }
  std::string Found() { return FoundWithHome(dir_.path()); }

  TempDir dir_;
  std::string python_ = Write("venv/bin/python", "");
};

TEST_F(XlaToolkitTest, IsThatOfTheBuildTree) {
  Package("tensorflow/__init__.py");
  EXPECT_EQ(Found(), "");
  Toolkit(".cache/dltap/cuda-1");
  fs::create_directories(dir_.path() + "/build/bin");
  Write("build/toolchain.env",
        "A=b\nDLTAP_CUDA_ROOT=" + Toolkit("mine") + "\n");
  EXPECT_EQ(Found(), dir_.path() + "/mine");
}

TEST_F(XlaToolkitTest, ElseTheNewestWholeOneInTheCache) {
  Package("jaxlib/version.py");
  const std::string old = Toolkit(".cache/dltap/cuda-1");
  const std::string newer = Toolkit(".cache/dltap/cuda-0");
  fs::last_write_time(old, fs::last_write_time(newer) - std::chrono::hours(1));
  Write(".cache/dltap/cuda-2/bin/ptxas");  // no libdevice
  Toolkit(".cache/dltap/else");
  EXPECT_EQ(Found(), newer);
}

TEST_F(XlaToolkitTest, TheCurrentFolderIsNoHome) {
  Package("tensorflow/__init__.py");
  Toolkit(".cache/dltap/cuda-1");
  const fs::path before = fs::current_path();
  fs::current_path(dir_.path());
  EXPECT_EQ(FoundWithHome(""), "");
  fs::current_path(before);
}

TEST_F(XlaToolkitTest, IsNotForProgramsWithoutXla) {
  Toolkit(".cache/dltap/cuda-1");
  Package("torch/version.py");
  EXPECT_EQ(Found(), "");
}

TEST_F(XlaToolkitTest, LeavesXlaWhatItFindsByItself) {
  Toolkit(".cache/dltap/cuda-1");
  Package("tensorflow/__init__.py");
  EXPECT_NE(Found(), "");
  const std::string on_path = Write("path/ptxas");
  EXPECT_EQ(Found(), "");
  fs::remove(on_path);
  EXPECT_NE(Found(), "");
  Package("nvidia/cuda_nvcc/bin/ptxas");
  EXPECT_EQ(Found(), "");
}

}  // namespace
}  // namespace dltap::analyzer

// SPDX-License-Identifier: Apache-2.0
#include "analyzer/control/cuda_major.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/temp_dir.h"

namespace dltap::analyzer {
namespace {

namespace fs = std::filesystem;

// A virtual environment in a temporary directory.
class CudaMajorTest : public ::testing::Test {
 protected:
  CudaMajorTest() : python_(Program("bin/python", "")) {}

  std::string Program(const std::string& name, const std::string& text) {
    const std::string path = Package("../../../" + name, text);
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }
  std::string Package(const std::string& name, const std::string& text) {
    const std::string path = "lib/python3.11/site-packages/" + name;
    fs::create_directories(dir_.path() + "/lib/python3.11/site-packages");
    fs::create_directories(fs::path(dir_.path() + "/" + path).parent_path());
    return dir_.Write(path, text);
  }
  void InstallTorch(const std::string& version) {
    Package("torch/version.py", "debug = False\ncuda: Optional[str] = '" +
                                    version + "'\nhip: Optional[str] = None\n");
  }
  void InstallTensorFlow() {
    Package("tensorflow/python/platform/build_info.py",
            "build_info = OrderedDict([('cuda_version', '12.5.1'), "
            "('cudnn_version', '9')])\n");
  }
  std::optional<int> Guess(std::vector<std::string> command) {
    return GuessCudaMajor(command, {{"PATH", dir_.path() + "/bin:/usr/bin"}});
  }

  TempDir dir_;
  std::string python_;
};

TEST_F(CudaMajorTest, NobodySaysAnything) {
  EXPECT_EQ(Guess({python_, "train.py"}), std::nullopt);
  EXPECT_EQ(Guess({"/nonexistent"}), std::nullopt);
  EXPECT_EQ(Guess({"sh", "-c", "true"}), std::nullopt);
}

TEST_F(CudaMajorTest, FrameworksSayWhatTheyAreBuiltFor) {
  InstallTorch("12.8");
  EXPECT_EQ(Guess({python_, "train.py"}), 12);
  EXPECT_EQ(Guess({"python", "train.py"}), 12);
  InstallTorch("13.0");
  EXPECT_EQ(Guess({python_, "train.py"}), 13);
}

TEST_F(CudaMajorTest, OfTwoInstallationsTheFirstCounts) {
  InstallTorch("12.8");
  const std::string other = dir_.path() + "/other";
  fs::create_directories(other + "/torch");
  dir_.Write("other/torch/version.py", "cuda: Optional[str] = '13.0'\n");
  Package("other.pth", other + "\n");
  EXPECT_EQ(Guess({python_, "train.py"}), 12);
  const Environment first = {{"PATH", dir_.path() + "/bin"},
                             {"PYTHONPATH", other}};
  EXPECT_EQ(GuessCudaMajor({python_, "train.py"}, first), 13);
}

TEST_F(CudaMajorTest, PluginsAreFolders) {
  fs::create_directories(dir_.path() +
                         "/lib/python3.11/site-packages/jax_cuda12_plugin");
  EXPECT_EQ(Guess({python_, "train.py"}), 12);
}

TEST_F(CudaMajorTest, InterpreterMayStandAnywhereInTheCommand) {
  InstallTensorFlow();
  EXPECT_EQ(Guess({"env", "A=1", "python", "train.py"}), 12);
  const std::string tool =
      Program("bin/torchrun", "#!" + python_ + "\nimport sys\n");
  EXPECT_EQ(Guess({tool, "train.py"}), 12);
  Program("bin/by_env", "#!/usr/bin/env python\n");
  EXPECT_EQ(Guess({"by_env"}), 12);
}

TEST_F(CudaMajorTest, WhereFrameworksDisagreeTheScriptDecides) {
  InstallTensorFlow();
  InstallTorch("13.0");
  EXPECT_EQ(Guess({python_, dir_.Write("a.py", "import tensorflow as tf\n")}),
            12);
  EXPECT_EQ(Guess({python_, dir_.Write("b.py", "import torch\n")}), 13);
  EXPECT_EQ(Guess({python_, dir_.Write("c.py", "import model\n")}),
            std::nullopt);
}

TEST_F(CudaMajorTest, OnnxRuntimeSaysIt) {
  Package("onnxruntime/capi/build_and_package_info.py",
          "package_name = 'onnxruntime-gpu'\ncuda_version = '12.2'\n");
  EXPECT_EQ(Guess({python_, "a.py"}), 12);
}

TEST_F(CudaMajorTest, Pytorch20SaysItInOtherWords) {
  Package("torch/version.py", "debug = False\ncuda = '11.7'\nhip = None\n");
  EXPECT_EQ(Guess({python_, "a.py"}), 11);
}

TEST_F(CudaMajorTest, MxnetIsLinkedToIt) {
  const std::string library = Package("mxnet/libmxnet.so", "no library");
  EXPECT_EQ(Guess({python_, "a.py"}), std::nullopt);
  fs::copy_file(DLTAP_LINKED_TO_CUDA11, library,
                fs::copy_options::overwrite_existing);
  EXPECT_EQ(Guess({python_, "a.py"}), 11);
}

TEST_F(CudaMajorTest, OtherProgramsNameTheirLibrary) {
  EXPECT_EQ(Guess({Program("bin/old",
                           "\x7f"
                           "ELF libcudart.so.12 ")}),
            12);
  EXPECT_EQ(Guess({Program("bin/new",
                           "\x7f"
                           "ELF libcudart.so.13 ")}),
            13);
}

}  // namespace
}  // namespace dltap::analyzer

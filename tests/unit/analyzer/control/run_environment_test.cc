// SPDX-License-Identifier: Apache-2.0
#include "analyzer/control/run_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/temp_dir.h"

namespace dltap::analyzer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// An installation in a temporary directory.
class RunEnvironmentTest : public ::testing::Test {
 protected:
  RunEnvironmentTest() : paths_(dir_.path() + "/bin") {
    for (const char* folder : {"/bin", "/lib", "/simgpu/cu13"}) {
      std::filesystem::create_directories(dir_.path() + folder);
    }
    dir_.Write("lib/libdltap.so", std::string_view("x"));
    for (const char* name :
         {"libcufft.so.12", "libcublas.so.13", "libcuda.so.1", "libdltapsim.so",
          "libcudart.so.13", "libcublasLt.so.13"}) {
      dir_.Write(std::string("simgpu/cu13/") + name, std::string_view("x"));
    }
    settings_.directory = "/runs/100%";
  }
  Environment Make(Environment inherited) {
    absl::StatusOr<Environment> environment =
        RunEnvironment(settings_, paths_, std::move(inherited));
    EXPECT_TRUE(environment.ok()) << environment.status();
    return environment.ok() ? *environment : Environment();
  }

  TempDir dir_;
  InstallPaths paths_;
  RunSettings settings_;
};

TEST_F(RunEnvironmentTest, TapComesBeforeWhatWasPreloaded) {
  EXPECT_EQ(Make({})["LD_PRELOAD"], dir_.path() + "/lib/libdltap.so");
  EXPECT_EQ(Make({{"LD_PRELOAD", "/x/libtcmalloc.so"}})["LD_PRELOAD"],
            dir_.path() + "/lib/libdltap.so:/x/libtcmalloc.so");
}

TEST_F(RunEnvironmentTest, NvtxFindsTheTapWhichKnowsTheUsersTool) {
  const std::string tap = dir_.path() + "/lib/libdltap.so";
  EXPECT_EQ(Make({})["NVTX_INJECTION64_PATH"], tap);
  EXPECT_FALSE(Make({}).contains("DLTAP_NVTX_NEXT"));
  Environment environment = Make({{"NVTX_INJECTION64_PATH", "/nsys.so"}});
  EXPECT_EQ(environment["NVTX_INJECTION64_PATH"], tap);
  EXPECT_EQ(environment["DLTAP_NVTX_NEXT"], "/nsys.so");
}

TEST_F(RunEnvironmentTest, TensorflowsNamesAreAskedForOnlyIfWanted) {
  EXPECT_FALSE(Make({}).contains("DLTAP_TF_NAMES"));
  EXPECT_EQ(Make({{"DLTAP_TF_NAMES", "1"}})["DLTAP_TF_NAMES"], "1");
  settings_.tensorflow_names = true;
  EXPECT_EQ(Make({})["DLTAP_TF_NAMES"], "1");
}

TEST_F(RunEnvironmentTest, RealGpuLeavesTheRestAlone) {
  const Environment environment = Make({{"HOME", "/root"}});
  EXPECT_EQ(environment.at("DLTAP_OUTPUT"), "/runs/100%%");
  EXPECT_EQ(environment.at("HOME"), "/root");
  EXPECT_EQ(environment.size(), 4);  // also LD_PRELOAD and NVTX
}

TEST_F(RunEnvironmentTest, SimulatedLibrariesFollowInTheOrderOfTheirNeeds) {
  settings_.simulated = opmodel::FindGpu("h100-sxm");
  settings_.gpus = 2;
  Environment environment = Make({{"LD_PRELOAD", "/x.so"}});
  const std::string sim = ":" + dir_.path() + "/simgpu/cu13/";
  EXPECT_EQ(environment["LD_PRELOAD"],
            dir_.path() + "/lib/libdltap.so" + sim + "libdltapsim.so" + sim +
                "libcuda.so.1" + sim + "libcudart.so.13" + sim +
                "libcublasLt.so.13" + sim + "libcublas.so.13" + sim +
                "libcufft.so.12:/x.so");
  EXPECT_EQ(environment["DLTAP_SIM_GPU"], "h100-sxm");
  EXPECT_EQ(environment["DLTAP_SIM_GPUS"], "2");
  EXPECT_EQ(environment.count("DLTAP_CLOCK"), 0);
}

TEST_F(RunEnvironmentTest, CachesOfARealGpuAreOutOfReach) {
  settings_.simulated = opmodel::FindGpu("h100-sxm");
  Environment environment = Make({{"TRITON_CACHE_DIR", "/data/triton"}});
  EXPECT_EQ(environment["USE_PYTORCH_KERNEL_CACHE"], "0");
  for (const char* variable :
       {"TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR", "CUDA_CACHE_PATH",
        "CUPY_CACHE_DIR", "NUMBA_CACHE_DIR", "CACHEDB"}) {
    EXPECT_THAT(environment[variable], HasSubstr("/runs/100%/caches/"));
  }
  EXPECT_EQ(environment.count("JAX_COMPILATION_CACHE_DIR"), 0);
  EXPECT_THAT(Make({{"JAX_COMPILATION_CACHE_DIR",
                     "/data/jax"}})["JAX_COMPILATION_CACHE_DIR"],
              HasSubstr("/runs/100%/caches/"));
}

TEST_F(RunEnvironmentTest, TritonLinksTheSimulatedDriver) {
  settings_.simulated = opmodel::FindGpu("h100-sxm");
  EXPECT_EQ(Make({})["TRITON_LIBCUDA_PATH"], dir_.path() + "/simgpu/cu13");
  EXPECT_EQ(Make({{"TRITON_LIBCUDA_PATH", "/mine"}})["TRITON_LIBCUDA_PATH"],
            "/mine");
}

TEST_F(RunEnvironmentTest, ProtonOpensTheSimulatedCupti) {
  settings_.simulated = opmodel::FindGpu("h100-sxm");
  dir_.Write("simgpu/cu13/libcupti.so.13", std::string_view("x"));
  EXPECT_EQ(Make({})["TRITON_CUPTI_LIB_PATH"],
            dir_.path() + "/simgpu/cu13/proton");
  EXPECT_EQ(Make({{"TRITON_CUPTI_LIB_PATH", "/mine"}})["TRITON_CUPTI_LIB_PATH"],
            "/mine");
}

TEST_F(RunEnvironmentTest, XlaFindsTheToolkitThatTheUserHas) {
  constexpr const char* kFlag = "--xla_gpu_cuda_data_dir=/cuda";
  EXPECT_EQ(Make({{"CUDA_HOME", "/cuda"}}).count("XLA_FLAGS"), 0);
  settings_.simulated = opmodel::FindGpu("h100-sxm");
  EXPECT_EQ(Make({}).count("XLA_FLAGS"), 0);
  EXPECT_EQ(Make({{"CUDA_HOME", "/cuda"}})["XLA_FLAGS"], kFlag);
  EXPECT_EQ(Make({{"CUDA_PATH", "/cuda"}, {"XLA_FLAGS", "--a"}})["XLA_FLAGS"],
            std::string("--a ") + kFlag);
  for (const char* mine : {"--xla_gpu_cuda_data_dir=/mine", "/flags.txt"}) {
    EXPECT_EQ(Make({{"CUDA_HOME", "/cuda"}, {"XLA_FLAGS", mine}})["XLA_FLAGS"],
              mine);
  }
}

TEST_F(RunEnvironmentTest, XlaGetsTheFetchedToolkitWhereTheUserNamesNone) {
  constexpr const char* kFlag = "--xla_gpu_cuda_data_dir=/fetched";
  settings_.toolkit = "/fetched";
  EXPECT_EQ(Make({}).count("XLA_FLAGS"), 0);  // a real GPU
  settings_.simulated = opmodel::FindGpu("h100-sxm");
  Environment environment = Make({});
  EXPECT_EQ(environment["XLA_FLAGS"], kFlag);
  EXPECT_TRUE(TakesToolkit(settings_, environment));
  EXPECT_TRUE(TakesToolkit(settings_, Make({{"XLA_FLAGS", "--a"}})));
  for (const Environment& named :
       {Environment{{"CUDA_HOME", "/cuda"}},
        Environment{{"CUDA_PATH", "/cuda"}},
        Environment{{"XLA_FLAGS", "--xla_gpu_cuda_data_dir=/mine"}},
        Environment{{"XLA_FLAGS", "/flags.txt"}}}) {
    EXPECT_FALSE(TakesToolkit(settings_, Make(named)));
  }
}

TEST_F(RunEnvironmentTest, TapReadsTheSimulatedClockWhenItIsNotTheHosts) {
  settings_.simulated = opmodel::FindGpu("h100-sxm");
  EXPECT_EQ(Make({{"DLTAP_SIM_CLOCK", "virtual"}})["DLTAP_CLOCK"], "cupti");
  EXPECT_EQ(Make({{"DLTAP_SIM_CLOCK", "skip"}})["DLTAP_CLOCK"], "cupti");
  EXPECT_EQ(Make({{"DLTAP_SIM_CLOCK", "real"}}).count("DLTAP_CLOCK"), 0);
}

TEST_F(RunEnvironmentTest, ChosenClockCountsMoreThanTheInheritedOne) {
  settings_.simulated = opmodel::FindGpu("h100-sxm");
  settings_.sim_clock = "virtual";
  Environment environment = Make({{"DLTAP_SIM_CLOCK", "real"}});
  EXPECT_EQ(environment["DLTAP_SIM_CLOCK"], "virtual");
  EXPECT_EQ(environment["DLTAP_CLOCK"], "cupti");
  settings_.sim_clock = "real";
  EXPECT_EQ(Make({{"DLTAP_SIM_CLOCK", "skip"}}).count("DLTAP_CLOCK"), 0);
}

TEST_F(RunEnvironmentTest, SaysWhatIsNotInstalled) {
  std::filesystem::remove_all(dir_.path() + "/simgpu");
  settings_.simulated = opmodel::FindGpu("h100-sxm");
  EXPECT_THAT(RunEnvironment(settings_, paths_, {}).status().message(),
              HasSubstr("no simulated libraries in"));
  std::filesystem::remove_all(dir_.path() + "/lib");
  EXPECT_THAT(RunEnvironment(settings_, paths_, {}).status().message(),
              HasSubstr("libdltap.so is not in"));
}

TEST_F(RunEnvironmentTest, ProfileIsThatOfTheCudaVersion) {
  settings_.simulated = opmodel::FindGpu("h100-sxm");
  EXPECT_EQ(Make({})["DLTAP_SIM_CUDA"], "13");
  settings_.cuda = 12;
  EXPECT_THAT(RunEnvironment(settings_, paths_, {}).status().message(),
              HasSubstr("simgpu/cu12"));
  std::filesystem::create_directories(dir_.path() + "/simgpu/cu12");
  dir_.Write("simgpu/cu12/libcudart.so.12", std::string_view("x"));
  Environment environment = Make({});
  EXPECT_EQ(environment["DLTAP_SIM_CUDA"], "12");
  EXPECT_EQ(environment["LD_PRELOAD"], dir_.path() +
                                           "/lib/libdltap.so:" + dir_.path() +
                                           "/simgpu/cu12/libcudart.so.12");
}

TEST(ParseGpuTest, NamesWhatThereIs) {
  EXPECT_EQ(*ParseGpu("real"), nullptr);
  EXPECT_EQ((*ParseGpu("sim:h100-sxm"))->name, "h100-sxm");
  EXPECT_THAT(ParseGpu("sim:h1000").status().message(), HasSubstr("h100-sxm"));
  EXPECT_THAT(ParseGpu("sim:").status().message(), HasSubstr("h100-sxm"));
  EXPECT_THAT(ParseGpu("h100").status().message(),
              HasSubstr("real or sim:NAME"));
}

absl::StatusOr<int> Choose(const char* gpu, std::optional<int> wanted,
                           std::optional<int> guessed, bool what_if = false) {
  RunSettings settings;
  settings.simulated = opmodel::FindGpu(gpu);
  settings.what_if = what_if;
  return ChooseCuda(wanted, guessed, settings);
}

TEST(ChooseCudaTest, WhatTheUserSaysCountsMoreThanTheGuess) {
  EXPECT_EQ(*Choose("h100-sxm", std::nullopt, 12), 12);
  EXPECT_EQ(*Choose("h100-sxm", std::nullopt, 13), 13);
  EXPECT_EQ(*Choose("h100-sxm", 12, 13), 12);
}

TEST(ChooseCudaTest, WhereNobodySaysTheNewestThatKnowsTheGpu) {
  EXPECT_EQ(*Choose("h100-sxm", std::nullopt, std::nullopt), 13);
  EXPECT_EQ(*Choose("v100-sxm", std::nullopt, std::nullopt), 12);
}

// A program of CUDA 13 does not start on libraries of 12.
TEST(ChooseCudaTest, WhatTheProgramIsBuiltForStaysOnAnOldGpu) {
  EXPECT_THAT(Choose("v100-sxm", std::nullopt, 13).status().message(),
              AllOf(HasSubstr("--what-if"), HasSubstr("built for")));
  EXPECT_EQ(*Choose("v100-sxm", std::nullopt, 13, /*what_if=*/true), 13);
  EXPECT_THAT(Choose("v100-sxm", 13, 13).status().message(),
              HasSubstr("--what-if"));
  EXPECT_EQ(*Choose("v100-sxm", 13, 13, /*what_if=*/true), 13);
}

}  // namespace
}  // namespace dltap::analyzer

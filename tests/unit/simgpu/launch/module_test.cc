// SPDX-License-Identifier: Apache-2.0
// Code loaded at run time: names, variables, parameters; limits of launches.
#include <cuda.h>
#include <elf.h>

#include <cstring>
#include <string>
#include <vector>

#include "tests/unit/simgpu/kernels.h"
#include "tests/unit/simgpu/support.h"

namespace {

constexpr char kPtx[] = R"(
// .entry InAComment(
.version 8.0
.target sm_90
.address_size 64
.visible .global .align 4 .u32 counter;
.const .align 8 .b8 table[24] = {1, 2, 3};
/* .entry InAnother( */
.visible .entry Add(
    .param .u64 data,
    .param .u32 count,
    .param .align 8 .b8 shape[24],
    .param .f32 factor
)
{
  ld.global.f32 %f1, [%rd1];
  ret;
}
.visible .entry Empty()
{
  ret;
}
)";

// A cubin as far as it is public ELF: a section of code per kernel, one for its
// shared memory, and symbols of its variables.
class Cubin {
 public:
  Cubin(const std::string& kernel, uint64_t shared_bytes,
        const std::string& variable, uint64_t variable_bytes) {
    Add("", SHT_NULL, 0, 0);
    Add(".text." + kernel, SHT_PROGBITS, 0, 0);
    Add(".nv.shared." + kernel, SHT_NOBITS, 0, shared_bytes);
    const uint32_t name = Name(variable);
    Elf64_Sym symbol{};
    symbol.st_name = name;
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
    symbol.st_size = variable_bytes;
    const size_t symbols = sections_.size();
    Add(".symtab", SHT_SYMTAB, 0, sizeof(symbol));
    Add(".strtab", SHT_STRTAB, 0, 0);
    const size_t headers = sizeof(Elf64_Ehdr);
    const size_t contents = headers + sections_.size() * sizeof(Elf64_Shdr);
    sections_[symbols].sh_offset = contents;
    sections_[symbols].sh_link = static_cast<uint32_t>(symbols + 1);
    sections_.back().sh_offset = contents + sizeof(symbol);
    sections_.back().sh_size = names_.size();
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_shoff = headers;
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = static_cast<uint16_t>(sections_.size());
    header.e_shstrndx = static_cast<uint16_t>(sections_.size() - 1);
    Append(&header, sizeof(header));
    Append(sections_.data(), sections_.size() * sizeof(Elf64_Shdr));
    Append(&symbol, sizeof(symbol));
    Append(names_.data(), names_.size());
  }
  const void* data() const { return bytes_.data(); }

 private:
  uint32_t Name(const std::string& name) {
    const auto at = static_cast<uint32_t>(names_.size());
    names_ += name;
    names_ += '\0';
    return at;
  }
  void Add(const std::string& name, uint32_t type, uint64_t offset,
           uint64_t bytes) {
    Elf64_Shdr section{};
    section.sh_name = Name(name);
    section.sh_type = type;
    section.sh_offset = offset;
    section.sh_size = bytes;
    sections_.push_back(section);
  }
  void Append(const void* data, size_t bytes) {
    const char* from = static_cast<const char*>(data);
    bytes_.insert(bytes_.end(), from, from + bytes);
  }

  std::vector<Elf64_Shdr> sections_;
  std::string names_;
  std::vector<char> bytes_;
};

using ModuleTest = RuntimeTest;

TEST_F(ModuleTest, NamesThatAnImageDoesNotHaveAreNotFound) {
  const Cubin cubin("Work", 2048, "flag", 12);
  for (const void* image : {static_cast<const void*>(kPtx), cubin.data()}) {
    CUmodule module = nullptr;
    ASSERT_EQ(0, cuModuleLoadData(&module, image));
    CUfunction function = nullptr;
    EXPECT_EQ(CUDA_ERROR_NOT_FOUND,
              cuModuleGetFunction(&function, module, "NoSuchKernel"));
    EXPECT_EQ(CUDA_ERROR_NOT_FOUND,
              cuModuleGetFunction(&function, module, "InAComment"));
    EXPECT_EQ(CUDA_ERROR_NOT_FOUND,
              cuModuleGetGlobal(nullptr, nullptr, module, "nothing"));
    EXPECT_EQ(0, cuModuleUnload(module));
  }
}

TEST_F(ModuleTest, CubinTellsSharedMemoryAndVariables) {
  const Cubin cubin("Work", 2048, "flag", 12);
  cudaLibrary_t library = nullptr;
  ASSERT_OK(cudaLibraryLoadData(&library, cubin.data(), nullptr, nullptr, 0,
                                nullptr, nullptr, 0));
  cudaKernel_t kernel = nullptr;
  ASSERT_OK(cudaLibraryGetKernel(&kernel, library, "Work"));
  cudaFuncAttributes attributes{};
  ASSERT_OK(cudaFuncGetAttributes(&attributes, kernel));
  EXPECT_EQ(2048u, attributes.sharedSizeBytes);
  void* address = nullptr;
  size_t bytes = 0;
  ASSERT_OK(cudaLibraryGetGlobal(&address, &bytes, library, "flag"));
  EXPECT_EQ(12u, bytes);
  EXPECT_OK(cudaMemset(address, 0, bytes));
  EXPECT_OK(cudaLibraryUnload(library));
  EXPECT_EQ(cudaErrorInvalidResourceHandle, cudaLibraryUnload(library));
}

TEST_F(ModuleTest, FatBinaryHidesItsNames) {
  const uint32_t fat[16] = {0xba55ed50};
  CUlibrary library = nullptr;
  ASSERT_EQ(0, cuLibraryLoadData(&library, fat, nullptr, nullptr, 0, nullptr,
                                 nullptr, 0));
  unsigned count = 7;
  EXPECT_EQ(0, cuLibraryGetKernelCount(&count, library));
  EXPECT_EQ(0u, count);
  CUkernel kernel = nullptr;
  EXPECT_EQ(0, cuLibraryGetKernel(&kernel, library, "AnyName"));
  EXPECT_EQ(0, cuLibraryUnload(library));
}

TEST_F(ModuleTest, PtxTellsParametersAndVariables) {
  cudaLibrary_t library = nullptr;
  ASSERT_OK(cudaLibraryLoadData(&library, kPtx, nullptr, nullptr, 0, nullptr,
                                nullptr, 0));
  unsigned count = 0;
  ASSERT_OK(cudaLibraryGetKernelCount(&count, library));
  EXPECT_EQ(2u, count);
  cudaKernel_t kernels[3] = {};
  ASSERT_OK(cudaLibraryEnumerateKernels(kernels, 3, library));
  EXPECT_NE(nullptr, kernels[1]);
  EXPECT_EQ(nullptr, kernels[2]);
  cudaKernel_t kernel = nullptr;
  ASSERT_OK(cudaLibraryGetKernel(&kernel, library, "Add"));
  constexpr size_t kExpected[][2] = {{0, 8}, {8, 4}, {16, 24}, {40, 4}};
  for (size_t i = 0; i < 4; ++i) {
    size_t offset = 0;
    size_t bytes = 0;
    ASSERT_EQ(0, cuKernelGetParamInfo(reinterpret_cast<CUkernel>(kernel), i,
                                      &offset, &bytes));
    EXPECT_EQ(kExpected[i][0], offset);
    EXPECT_EQ(kExpected[i][1], bytes);
  }
  size_t offset = 0;
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE,
            cuKernelGetParamInfo(reinterpret_cast<CUkernel>(kernel), 4, &offset,
                                 nullptr));
  size_t bytes = 0;
  EXPECT_OK(cudaLibraryGetGlobal(nullptr, &bytes, library, "counter"));
  EXPECT_EQ(4u, bytes);
  EXPECT_OK(cudaLibraryGetGlobal(nullptr, &bytes, library, "table"));
  EXPECT_EQ(24u, bytes);
  EXPECT_EQ(cudaErrorSymbolNotFound,
            cudaLibraryGetKernel(&kernel, library, "Subtract"));
  void* function = nullptr;
  EXPECT_EQ(cudaErrorSymbolNotFound,
            cudaLibraryGetUnifiedFunction(&function, library, "Add"));
  EXPECT_OK(cudaLibraryUnload(library));
}

TEST_F(ModuleTest, ParametersOfCompiledInKernelsAreUnknown) {
  size_t offset = 0;
  EXPECT_EQ(cudaErrorNotSupported,
            cudaFuncGetParamInfo(ScaleStub(), 0, &offset, nullptr));
}

TEST_F(ModuleTest, FilesThatAreNoneAreRefused) {
  cudaLibrary_t library = nullptr;
  EXPECT_EQ(cudaErrorFileNotFound,
            cudaLibraryLoadFromFile(&library, "/no/such/file", nullptr, nullptr,
                                    0, nullptr, nullptr, 0));
  EXPECT_EQ(cudaErrorInvalidKernelImage,
            cudaLibraryLoadData(&library, "no image at all", nullptr, nullptr,
                                0, nullptr, nullptr, 0));
}

// Limits of launches, on an H100.

class LaunchLimitTest : public RuntimeTest {
 protected:
  cudaError_t Launch(dim3 grid, dim3 block, size_t shared = 0) {
    float factor = 1;
    void* arguments[] = {&data_, &factor};
    return cudaLaunchKernel(ScaleStub(), grid, block, arguments, shared,
                            stream_);
  }
  cudaLaunchConfig_t ClusterConfig(unsigned grid, unsigned cluster) {
    attribute_.id = cudaLaunchAttributeClusterDimension;
    attribute_.val.clusterDim = {cluster, 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(grid);
    config.blockDim = dim3(1024);
    config.stream = stream_;
    config.attrs = &attribute_;
    config.numAttrs = 1;
    return config;
  }
  cudaError_t LaunchClusters(unsigned grid, unsigned cluster) {
    const cudaLaunchConfig_t config = ClusterConfig(grid, cluster);
    float factor = 1;
    void* arguments[] = {&data_, &factor};
    return cudaLaunchKernelExC(&config, ScaleStub(), arguments);
  }
  cudaLaunchAttribute attribute_{};
};

TEST_F(LaunchLimitTest, GeometryHasLimits) {
  EXPECT_OK(Launch(dim3(1), dim3(1024)));
  for (const dim3 block : {dim3(1025), dim3(32, 64), dim3(1, 1, 65), dim3(0)}) {
    EXPECT_EQ(cudaErrorInvalidConfiguration, Launch(dim3(1), block));
  }
  EXPECT_EQ(cudaErrorInvalidConfiguration, Launch(dim3(1, 65536), dim3(1)));
  EXPECT_EQ(cudaErrorInvalidConfiguration, Launch(dim3(0), dim3(1)));
  cudaGetLastError();
}

TEST_F(LaunchLimitTest, MuchSharedMemoryIsOptedInto) {
  constexpr int kDefault = 48 * 1024;
  constexpr int kMost = 227 * 1024;
  EXPECT_OK(Launch(dim3(1), dim3(32), kDefault));
  EXPECT_EQ(cudaErrorInvalidValue, Launch(dim3(1), dim3(32), kDefault + 1));
  EXPECT_EQ(
      cudaErrorInvalidValue,
      cudaFuncSetAttribute(
          ScaleStub(), cudaFuncAttributeMaxDynamicSharedMemorySize, kMost + 1));
  ASSERT_OK(cudaFuncSetAttribute(
      ScaleStub(), cudaFuncAttributeMaxDynamicSharedMemorySize, kMost));
  EXPECT_OK(Launch(dim3(1), dim3(32), kMost));
  ASSERT_OK(cudaFuncSetAttribute(
      ScaleStub(), cudaFuncAttributeMaxDynamicSharedMemorySize, kDefault));
  cudaGetLastError();
}

TEST_F(LaunchLimitTest, CooperativeGridsMustBeResident) {
  float factor = 1;
  void* arguments[] = {&data_, &factor};
  int blocks = 0;
  ASSERT_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, ScaleStub(),
                                                          256, 0));
  EXPECT_EQ(8, blocks);
  const auto all = static_cast<unsigned>(blocks * 132);
  EXPECT_OK(cudaLaunchCooperativeKernel(ScaleStub(), dim3(all), dim3(256),
                                        arguments, 0, stream_));
  EXPECT_EQ(cudaErrorCooperativeLaunchTooLarge,
            cudaLaunchCooperativeKernel(ScaleStub(), dim3(all + 1), dim3(256),
                                        arguments, 0, stream_));
}

TEST_F(LaunchLimitTest, ClustersOfMoreThanEightAreOptedInto) {
  EXPECT_OK(LaunchClusters(64, 8));
  EXPECT_EQ(cudaErrorInvalidClusterSize, LaunchClusters(64, 16));
  EXPECT_EQ(cudaErrorInvalidClusterSize, LaunchClusters(65, 8));
  ASSERT_OK(cudaFuncSetAttribute(
      ScaleStub(), cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  EXPECT_OK(LaunchClusters(64, 16));
  EXPECT_EQ(cudaErrorInvalidClusterSize, LaunchClusters(64, 32));
  ASSERT_OK(cudaFuncSetAttribute(
      ScaleStub(), cudaFuncAttributeNonPortableClusterSizeAllowed, 0));
  cudaGetLastError();
}

TEST_F(LaunchLimitTest, OccupancyCountsClusters) {
  cudaLaunchConfig_t config = ClusterConfig(64, 4);
  int count = 0;
  ASSERT_OK(cudaOccupancyMaxActiveClusters(&count, ScaleStub(), &config));
  EXPECT_EQ(2 * 132 / 4, count);  // two blocks of 1024 threads on an SM
  ASSERT_OK(cudaOccupancyMaxPotentialClusterSize(&count, ScaleStub(), &config));
  EXPECT_EQ(8, count);
  config = ClusterConfig(64, 32);
  EXPECT_EQ(cudaErrorInvalidClusterSize,
            cudaOccupancyMaxActiveClusters(&count, ScaleStub(), &config));
  size_t bytes = 0;
  ASSERT_OK(
      cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, ScaleStub(), 2, 256));
  EXPECT_EQ(113u * 1024, bytes);  // half of 228 KiB, 1 KiB reserved
}

TEST_F(LaunchLimitTest, HostFunctionsMayNotCallCuda) {
  static cudaError_t runtime;
  static CUresult driver;
  runtime = cudaSuccess;
  driver = CUDA_SUCCESS;
  ASSERT_OK(cudaLaunchHostFunc(
      stream_,
      [](void*) {
        void* block = nullptr;
        runtime = cudaMalloc(&block, 4);
        driver = cuCtxSynchronize();
      },
      nullptr));
  ASSERT_OK(cudaStreamSynchronize(stream_));
  EXPECT_EQ(cudaErrorNotPermitted, runtime);
  EXPECT_EQ(CUDA_ERROR_NOT_PERMITTED, driver);
  void* block = nullptr;
  EXPECT_OK(cudaMalloc(&block, 4));
  EXPECT_OK(cudaFree(block));
}

}  // namespace

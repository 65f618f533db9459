// SPDX-License-Identifier: Apache-2.0
// CUDA_VISIBLE_DEVICES on a machine of four GPUs; a process each, as it counts
// from the first call on.
#define NVML_NO_UNVERSIONED_FUNC_DEFS
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <nvml.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace {

constexpr char kUuid[] = "GPU-646c7461-7073-696d-0900-00000000000";

// The numbers on the machine of the devices that CUDA shows, as their buses
// tell; what it says where it shows none.
std::string Visible() {
  int count = -1;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess) {
    return std::to_string(count) + " " + cudaGetErrorName(error);
  }
  std::string numbers;
  for (int device = 0; device < count; ++device) {
    int bus = 0;
    cudaDeviceGetAttribute(&bus, cudaDevAttrPciBusId, device);
    numbers += std::to_string(bus - 1);
  }
  return numbers;
}

// What `tell` says in a process with that value.
template <typename Tell>
std::string With(const char* value, Tell tell) {
  int ends[2];
  EXPECT_EQ(0, pipe(ends));
  const pid_t child = fork();
  if (child == 0) {
    setenv("CUDA_VISIBLE_DEVICES", value, 1);
    const std::string told = tell();
    _exit(write(ends[1], told.data(), told.size()) < 0);
  }
  close(ends[1]);
  char text[200];
  const ssize_t bytes = read(ends[0], text, sizeof(text));
  close(ends[0]);
  EXPECT_EQ(child, waitpid(child, nullptr, 0));
  return std::string(text, bytes < 0 ? 0 : bytes);
}

TEST(VisibleDevices, AreThoseOfTheListInItsOrder) {
  EXPECT_EQ("20", With("2,0", Visible));
  EXPECT_EQ("3", With("3", Visible));
  EXPECT_EQ("13", With(" 1, 3", Visible));
  EXPECT_EQ("12", With("1gpu,2", Visible));
}

TEST(VisibleDevices, EndWithTheFirstThatThereIsNot) {
  EXPECT_EQ("1", With("1,4,2", Visible));
  EXPECT_EQ("1", With("1,-1,2", Visible));
  EXPECT_EQ("1", With("1,none", Visible));
  EXPECT_EQ("1", With("1,,2", Visible));
}

TEST(VisibleDevices, AreNamedByUuidsOrTheirBeginnings) {
  EXPECT_EQ("31",
            With((std::string(kUuid) + "4," + kUuid + "2").c_str(), Visible));
  EXPECT_EQ("0 cudaErrorNoDevice", With(kUuid, Visible));  // of all four
}

TEST(VisibleDevices, AreNoneWhereTheListIsEmptyOrNamesOneTwice) {
  for (const char* value : {"", "-1", "1,1", "NoDevFiles", "9", "4294967296"}) {
    EXPECT_EQ("0 cudaErrorNoDevice", With(value, Visible)) << value;
    EXPECT_EQ(std::to_string(CUDA_ERROR_NO_DEVICE),
              With(value, [] { return std::to_string(cuInit(0)); }));
  }
}

TEST(VisibleDevices, AreAllForNvml) {
  for (const char* value : {"2,0", ""}) {
    EXPECT_EQ("4 2", With(value, [] {
                unsigned count = 0;
                unsigned index = 0;
                nvmlDevice_t device = nullptr;
                nvmlInit_v2();
                nvmlDeviceGetCount_v2(&count);
                nvmlDeviceGetHandleByPciBusId_v2("0000:03:00.0", &device);
                nvmlDeviceGetIndex(device, &index);
                return std::to_string(count) + " " + std::to_string(index);
              }));
  }
}

// PyTorch counts devices so before it forks or sets the variable.
TEST(VisibleDevices, AreThoseOfTheTimeWhenCudaBeginsNotNvml) {
  unsigned count = 0;
  nvmlInit_v2();
  nvmlDeviceGetCount_v2(&count);
  EXPECT_EQ(4u, count);
  EXPECT_EQ("2", With("2", Visible));
}

TEST(VisibleDevices, AreFoundByTheirBus) {
  const auto find = [] {
    int device = -7;
    const cudaError_t shown = cudaDeviceGetByPCIBusId(&device, "0000:03:00.0");
    const cudaError_t hidden = cudaDeviceGetByPCIBusId(&device, "0000:02:00.0");
    return std::to_string(shown) + " " + std::to_string(device) + " " +
           cudaGetErrorName(hidden);
  };
  EXPECT_EQ("0 1 cudaErrorInvalidDevice", With("0,2", find));
}

TEST(VisibleDevices, WorkUnderTheNumbersThatCudaGivesThem) {
  EXPECT_EQ("0", With("3,1", [] {
              void* memory = nullptr;
              int worst = cudaSetDevice(1);
              worst |= cudaMalloc(&memory, 1 << 20);
              worst |= cudaMemset(memory, 0, 1 << 20);
              worst |= cudaDeviceSynchronize();
              worst |= cudaSetDevice(2) != cudaErrorInvalidDevice;
              return std::to_string(worst);
            }));
}

}  // namespace

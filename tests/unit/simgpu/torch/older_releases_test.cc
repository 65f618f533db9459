// SPDX-License-Identifier: Apache-2.0
// Kernels that compute, as older releases of PyTorch name them and lay their
// arguments out: 2.4.1 for CUDA 12.1.
#include <cuda.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tests/unit/simgpu/named_kernels.h"

namespace {

// Without the elements of a thread, before PyTorch 2.5.
constexpr char kCast[] =
    "_ZN2at6native27unrolled_elementwise_kernelIZZZNS0_23direct_copy_kernel_"
    "cudaERNS_18TensorIteratorBaseEENKUlvE1_clEvENKUlvE5_clEvEUlfE_NS_6detail5"
    "ArrayIPcLi2EEE23TrivialOffsetCalculatorILi1EjESC_NS0_6memory12LoadWithCast"
    "ILi1EEENSD_13StoreWithCastILi1EEEEEviT_T0_T1_T2_T3_T4_";
// Its first parameter is an int.
constexpr char kUniform[] =
    "_ZN2at6native55_GLOBAL__N__11f7a751_22_DistributionUniform_cu_67fa25cf43"
    "distribution_elementwise_grid_stride_kernelIfLi4EZNS0_9templates4cuda21"
    "uniform_and_transformIffLm4EPNS_17CUDAGeneratorImplEZZZNS4_14uniform_"
    "kernelIS7_EEvRNS_18TensorIteratorBaseEddT_ENKUlvE_clEvENKUlvE0_clEvEUlfE_"
    "EEvSA_T2_T3_EUlP24curandStatePhilox4_32_10E0_ZNS1_27distribution_nullary_"
    "kernelIffLi4ES7_SJ_SE_EEvSA_SF_RKSG_T4_EUlifE_EEviNS_15PhiloxCudaStateET1"
    "_SF_";
// CUB 2.2: its own iterators, which hold what they do before the pointer.
constexpr char kNonZero[] =
    "_ZN14at_cuda_detail3cub23DeviceSelectSweepKernelINS0_16DispatchSelectIfINS"
    "0_21CountingInputIteratorIllEENS0_22TransformInputIteratorIbN2at6native43_"
    "GLOBAL__N__e625f313_10_Nonzero_cu_cba1aaa09NonZeroOpIbEEPKblEEPlPiNS0_8"
    "NullTypeESG_iLb0ELb0EE18PtxSelectIfPolicyTES4_SD_SE_SF_NS0_13ScanTileState"
    "IiLb1EEESG_SG_iLb0EEEvT0_T1_T2_T3_T4_T5_T6_T7_i";
constexpr char kSortDown[] =
    "_ZN14at_cuda_detail3cub31DeviceRadixSortSingleTileKernelINS0_21"
    "DeviceRadixSortPolicyIlNS0_8NullTypeEyE9Policy800ELb1ElS3_yEEvPKT1_PS6_"
    "PKT2_PSA_T3_ii";

class OlderReleasesTest : public NamedKernelTest {
 protected:
  OlderReleasesTest()
      : NamedKernelTest({kCast, kUniform, kNonZero, kSortDown}) {}

  template <typename T>
  CUdeviceptr Put(size_t offset, const std::vector<T>& values) {
    EXPECT_EQ(CUDA_SUCCESS, cuMemcpyHtoD(data_ + offset, values.data(),
                                         values.size() * sizeof(T)));
    return data_ + offset;
  }
  template <typename T>
  std::vector<T> Get(CUdeviceptr from, size_t count) {
    std::vector<T> values(count);
    EXPECT_EQ(CUDA_SUCCESS,
              cuMemcpyDtoH(values.data(), from, count * sizeof(T)));
    return values;
  }
};

TEST_F(OlderReleasesTest, CastsCompute) {
  struct Cast {
    int8_t type;  // c10::ScalarType
    uint32_t bytes;
  };
  int count = 3;
  char none = 0;
  std::array<CUdeviceptr, 2> data = {data_, Put<int64_t>(4096, {1, 2, -3})};
  Cast load = {4, 8};   // Long
  Cast store = {6, 4};  // Float
  void* arguments[] = {&count, &none, &data, &none, &none, &load, &store};
  Launch(kCast, arguments);
  EXPECT_EQ((std::vector<float>{1, 2, -3}), Get<float>(data_, 3));
}

TEST_F(OlderReleasesTest, RandomNumbersAreCountedByAnInt) {
  struct Lambda {
    CUdeviceptr data;
    int32_t step;
    float range;
    float from;
  };
  const std::array<int32_t, 2> count = {3, 0x4321};  // and what lies behind it
  std::array<uint64_t, 3> philox = {7, 0, 0};
  char none = 0;
  Lambda lambda = {data_, 4, 2, 1};
  void* arguments[] = {const_cast<int32_t*>(count.data()), &philox, &none,
                       &lambda};
  Launch(kUniform, arguments);
  for (const float number : Get<float>(data_, 3)) {
    EXPECT_GT(number, 1);
    EXPECT_LT(number, 3);
  }
}

TEST_F(OlderReleasesTest, PlacesOfNonZeroesAreFound) {
  struct Flags {
    uint64_t operation;
    CUdeviceptr data;
  };
  int64_t first = 0;
  Flags flags = {~0ull, data_ + 4096};
  const std::array<bool, 5> mask = {true, false, true, true, false};
  ASSERT_EQ(CUDA_SUCCESS, cuMemcpyHtoD(flags.data, mask.data(), mask.size()));
  CUdeviceptr places = data_;
  CUdeviceptr found = Put<int32_t>(8192, {-1});
  std::array<uint64_t, 2> tiles = {};
  char none = 0;
  int count = 5;
  int one = 1;
  void* arguments[] = {&first, &flags, &places, &found, &tiles,
                       &none,  &none,  &count,  &one};
  Launch(kNonZero, arguments);
  EXPECT_EQ(std::vector<int32_t>{3}, Get<int32_t>(found, 1));
  EXPECT_EQ((std::vector<int64_t>{0, 2, 3}), Get<int64_t>(places, 3));
}

TEST_F(OlderReleasesTest, SortsGoDownWhereTheNameSaysSo) {
  CUdeviceptr from = Put<int64_t>(4096, {2, -5, 9});
  CUdeviceptr to = data_;
  CUdeviceptr no_values = 0;
  uint64_t count = 3;
  int first_bit = 0;
  int last_bit = 64;
  void* arguments[] = {&from,  &to,        &no_values, &no_values,
                       &count, &first_bit, &last_bit};
  Launch(kSortDown, arguments);
  EXPECT_EQ((std::vector<int64_t>{9, 2, -5}), Get<int64_t>(to, 3));
}

}  // namespace

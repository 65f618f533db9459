// SPDX-License-Identifier: Apache-2.0
// TensorFlow's concatenation: which of its kernels, and whether their tables
// lie in the argument or in device memory.
#include <cuda.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "tests/unit/simgpu/named_kernels.h"

namespace {

constexpr char kFixed[] =
    "_ZN10tensorflow12_GLOBAL__N_119concat_fixed_kernelIbiEEvNS_"
    "20GpuDeviceArrayStructIPKT_Li8EEEiiiPS3_";
constexpr char kVariable[] =
    "_ZN10tensorflow22concat_variable_kernelIfiLb1EEEvNS_"
    "20GpuDeviceArrayStructIPKT_Li8EEENS1_IT0_Li8EEES6_S6_PS2_";

// tensorflow/core/kernels/gpu_device_array.h
template <typename T>
struct DeviceArray {
  int32_t size = 0;
  std::array<T, 8> inline_values{};
  CUdeviceptr values = 0;
};

class ConcatTest : public NamedKernelTest {
 protected:
  ConcatTest() : NamedKernelTest({kFixed, kVariable}) {}

  template <typename T>
  CUdeviceptr Upload(const std::vector<T>& values) {
    const CUdeviceptr at = data_ + used_;
    used_ += 4096;
    EXPECT_EQ(CUDA_SUCCESS,
              cuMemcpyHtoD(at, values.data(), values.size() * sizeof(T)));
    return at;
  }
  template <typename T>
  DeviceArray<T> ArrayOf(const std::vector<T>& values) {
    DeviceArray<T> array;
    array.size = static_cast<int32_t>(values.size());
    if (values.size() > array.inline_values.size()) {
      array.values = Upload(values);
    } else {
      std::copy(values.begin(), values.end(), array.inline_values.begin());
    }
    return array;
  }

  // Every third of them false.
  std::vector<uint8_t> Flags(size_t count) {
    std::vector<uint8_t> flags;
    for (size_t i = 0; i < count; ++i) flags.push_back(i % 3 != 0);
    return flags;
  }
  std::vector<uint8_t> Stack(const std::vector<uint8_t>& flags) {
    std::vector<CUdeviceptr> inputs;
    for (const uint8_t flag : flags) inputs.push_back(Upload<uint8_t>({flag}));
    auto array = ArrayOf(inputs);
    int split_size = 1;
    int rows = 1;
    auto columns = static_cast<int>(flags.size());
    void* arguments[] = {&array, &split_size, &rows, &columns, &output_};
    Launch(kFixed, arguments);
    return Download<uint8_t>(flags.size());
  }
  template <typename T>
  std::vector<T> Download(size_t count) {
    std::vector<T> values(count);
    EXPECT_EQ(CUDA_SUCCESS,
              cuMemcpyDtoH(values.data(), output_, count * sizeof(T)));
    return values;
  }

  void SetUp() override {
    NamedKernelTest::SetUp();
    output_ = data_ + kBytes / 2;
    ASSERT_EQ(CUDA_SUCCESS, cuMemsetD8(output_, 0xff, 4096));
  }

  CUdeviceptr output_ = 0;
  size_t used_ = 0;
};

TEST_F(ConcatTest, StacksFlagsWhosePointersLieInTheArgument) {
  EXPECT_EQ(Flags(5), Stack(Flags(5)));
}

TEST_F(ConcatTest, StacksFlagsWhosePointersLieOnTheDevice) {
  EXPECT_EQ(Flags(40), Stack(Flags(40)));
}

TEST_F(ConcatTest, ConcatenatesMatricesOfDifferentWidths) {
  // Two rows each; widths 1, 2, 1, 2, ...
  std::vector<CUdeviceptr> inputs;
  std::vector<int32_t> scan = {0};
  std::vector<std::vector<float>> rows(2);
  for (int i = 0; i < 20; ++i) {
    std::vector<float> matrix;
    const int width = 1 + i % 2;
    for (auto& row : rows) {
      for (int j = 0; j < width; ++j) {
        matrix.push_back(static_cast<float>(inputs.size() * 10 + row.size()));
        row.push_back(matrix.back());
      }
    }
    inputs.push_back(Upload(matrix));
    scan.push_back(scan.back() + width);
  }
  auto pointers = ArrayOf(inputs);
  auto scans = ArrayOf(scan);
  int row_count = 2;
  int columns = scan.back();
  void* arguments[] = {&pointers, &scans, &row_count, &columns, &output_};
  Launch(kVariable, arguments);
  std::vector<float> expected = rows[0];
  expected.insert(expected.end(), rows[1].begin(), rows[1].end());
  EXPECT_EQ(expected, Download<float>(expected.size()));
}

TEST_F(ConcatTest, TablesThatCannotBeAreNotFollowed) {
  DeviceArray<CUdeviceptr> pointers{.size = 3, .inline_values = {16, 16, 16}};
  DeviceArray<int32_t> scan{.size = 4, .inline_values = {0, 9, 2, 3}};
  int rows = 1;
  int columns = 3;
  void* arguments[] = {&pointers, &scan, &rows, &columns, &output_};
  Launch(kVariable, arguments);
  pointers = {.size = 30, .inline_values = {}, .values = 16};
  scan = {.size = 31, .inline_values = {}, .values = 16};
  Launch(kVariable, arguments);
  EXPECT_EQ(0xff, Download<uint8_t>(17)[0]);
}

}  // namespace

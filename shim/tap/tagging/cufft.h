// SPDX-License-Identifier: Apache-2.0
#ifndef DLTAP_SHIM_TAP_TAGGING_CUFFT_H_
#define DLTAP_SHIM_TAP_TAGGING_CUFFT_H_

#include <cstdint>
#include <cstring>

// cuFFT: what a plan transforms is told when it is made, so that is kept by
// plan, a small int, until the plan is destroyed.
namespace dltap::shim {
namespace tagging {

constexpr int kFftMostAxes = 3;

// A batch of transforms. An input or output is real or complex.
struct Transforms {
  int rank = 0;
  int64_t sizes[kFftMostAxes] = {};
  int64_t batch = 1;
  int32_t input = -1;  // cudaDataType_t
  int32_t output = -1;
};

// By cufftType.
Transforms TransformsOf(int32_t type, int64_t batch);

// Copies the sizes of all axes, as far as there is room for them.
template <typename Int>
void ReadSizes(int32_t rank, const void* sizes, Transforms* transforms) {
  if (rank < 1 || rank > kFftMostAxes || sizes == nullptr) return;
  for (int32_t i = 0; i < rank; ++i) {
    Int size = 0;
    memcpy(&size, static_cast<const Int*>(sizes) + i, sizeof(size));
    transforms->sizes[i] = size;
  }
  transforms->rank = rank;
}

void FftPlanMade(int32_t plan, const Transforms& transforms);

// cufftMakePlan is given a plan, cufftPlan makes one.
inline int32_t FftPlan(int32_t plan) { return plan; }
inline int32_t FftPlan(const void* plan_out) {
  int32_t plan = -1;
  if (plan_out != nullptr) memcpy(&plan, plan_out, sizeof(plan));
  return plan;
}

}  // namespace tagging

// What a hook is: shim/tap/entry/hook_call.h.
namespace hooks {

struct CufftPlan1d {
  template <typename Plan>
  static void After(int32_t status, Plan plan, int32_t nx, int32_t type,
                    int32_t batch) {
    if (status != 0) return;
    tagging::Transforms transforms = tagging::TransformsOf(type, batch);
    const int32_t sizes[] = {nx};
    tagging::ReadSizes<int32_t>(1, sizes, &transforms);
    tagging::FftPlanMade(tagging::FftPlan(plan), transforms);
  }
};

struct CufftPlan2d {
  template <typename Plan>
  static void After(int32_t status, Plan plan, int32_t nx, int32_t ny,
                    int32_t type) {
    if (status != 0) return;
    tagging::Transforms transforms = tagging::TransformsOf(type, 1);
    const int32_t sizes[] = {nx, ny};
    tagging::ReadSizes<int32_t>(2, sizes, &transforms);
    tagging::FftPlanMade(tagging::FftPlan(plan), transforms);
  }
};

struct CufftPlan3d {
  template <typename Plan>
  static void After(int32_t status, Plan plan, int32_t nx, int32_t ny,
                    int32_t nz, int32_t type) {
    if (status != 0) return;
    tagging::Transforms transforms = tagging::TransformsOf(type, 1);
    const int32_t sizes[] = {nx, ny, nz};
    tagging::ReadSizes<int32_t>(3, sizes, &transforms);
    tagging::FftPlanMade(tagging::FftPlan(plan), transforms);
  }
};

struct CufftPlanMany {
  template <typename Plan>
  static void After(int32_t status, Plan plan, int32_t rank, const void* sizes,
                    int32_t type, int32_t batch) {
    if (status != 0) return;
    tagging::Transforms transforms = tagging::TransformsOf(type, batch);
    tagging::ReadSizes<int32_t>(rank, sizes, &transforms);
    tagging::FftPlanMade(tagging::FftPlan(plan), transforms);
  }
};

struct CufftPlanMany64 {
  static void After(int32_t status, int32_t plan, int32_t rank,
                    const void* sizes, int32_t type, int64_t batch) {
    if (status != 0) return;
    tagging::Transforms transforms = tagging::TransformsOf(type, batch);
    tagging::ReadSizes<int64_t>(rank, sizes, &transforms);
    tagging::FftPlanMade(plan, transforms);
  }
};

struct CufftXtPlanMany {
  static void After(int32_t status, int32_t plan, int32_t rank,
                    const void* sizes, int32_t input, int32_t output,
                    int64_t batch) {
    if (status != 0) return;
    tagging::Transforms transforms{
        .batch = batch, .input = input, .output = output};
    tagging::ReadSizes<int64_t>(rank, sizes, &transforms);
    tagging::FftPlanMade(plan, transforms);
  }
};

struct CufftPlanStream {
  static void After(int32_t status, int32_t plan, void* stream);
};
struct CufftPlanGone {
  static void Before(int32_t plan);
};

// Packs `operation`: the transforms of the plan, 0 if unknown.
struct CufftExecute {
  static void Pack(uint8_t* at, int32_t plan);
};

}  // namespace hooks
}  // namespace dltap::shim

#endif  // DLTAP_SHIM_TAP_TAGGING_CUFFT_H_

// SPDX-License-Identifier: Apache-2.0
// Texture and surface objects: which are made, and that both APIs show what
// they were made from.
#include <cuda.h>

#include "tests/unit/simgpu/support.h"

namespace {

constexpr cudaChannelFormatDesc kFloats{32, 0, 0, 0,
                                        cudaChannelFormatKindFloat};

class TextureTest : public RuntimeTest {
 protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    ASSERT_OK(
        cudaMallocArray(&array_, &kFloats, 16, 16, cudaArraySurfaceLoadStore));
  }
  void TearDown() override {
    EXPECT_OK(cudaFreeArray(array_));
    RuntimeTest::TearDown();
  }
  cudaResourceDesc OfArray() const {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array_;
    return resource;
  }
  cudaResourceDesc OfMemory(size_t bytes) const {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = data_;
    resource.res.linear.desc = kFloats;
    resource.res.linear.sizeInBytes = bytes;
    return resource;
  }
  cudaError_t Make(const cudaResourceDesc& resource,
                   const cudaTextureDesc& texture = {},
                   const cudaResourceViewDesc* view = nullptr) {
    cudaTextureObject_t made = 0;
    const cudaError_t error =
        cudaCreateTextureObject(&made, &resource, &texture, view);
    if (made != 0) {
      EXPECT_OK(cudaDestroyTextureObject(made));
    }
    return error;
  }
  cudaArray_t array_ = nullptr;
};

TEST_F(TextureTest, DescriptorsAreGivenBack) {
  cudaTextureDesc texture{};
  texture.addressMode[1] = cudaAddressModeMirror;
  texture.filterMode = cudaFilterModeLinear;
  texture.readMode = cudaReadModeElementType;
  texture.sRGB = 1;
  texture.borderColor[2] = 0.5f;
  texture.normalizedCoords = 1;
  texture.maxAnisotropy = 8;
  texture.maxMipmapLevelClamp = 3.0f;
  const cudaResourceDesc resource = OfArray();
  cudaTextureObject_t object = 0;
  ASSERT_OK(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
  cudaTextureDesc shown{};
  ASSERT_OK(cudaGetTextureObjectTextureDesc(&shown, object));
  EXPECT_EQ(cudaAddressModeMirror, shown.addressMode[1]);
  EXPECT_EQ(cudaFilterModeLinear, shown.filterMode);
  EXPECT_EQ(cudaReadModeElementType, shown.readMode);
  EXPECT_EQ(1, shown.sRGB);
  EXPECT_EQ(0, shown.seamlessCubemap);
  EXPECT_EQ(0.5f, shown.borderColor[2]);
  EXPECT_EQ(1, shown.normalizedCoords);
  EXPECT_EQ(8u, shown.maxAnisotropy);
  EXPECT_EQ(3.0f, shown.maxMipmapLevelClamp);
  cudaResourceDesc of{};
  ASSERT_OK(cudaGetTextureObjectResourceDesc(&of, object));
  EXPECT_EQ(array_, of.res.array.array);
  cudaResourceViewDesc view{};
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaGetTextureObjectResourceViewDesc(&view, object));
  // The driver sees the same object.
  CUDA_TEXTURE_DESC driver{};
  ASSERT_EQ(CUDA_SUCCESS, cuTexObjectGetTextureDesc(&driver, object));
  EXPECT_EQ(unsigned{CU_TRSF_READ_AS_INTEGER | CU_TRSF_SRGB |
                     CU_TRSF_NORMALIZED_COORDINATES},
            driver.flags);
  EXPECT_OK(cudaDestroyTextureObject(object));
  EXPECT_EQ(cudaErrorInvalidValue, cudaDestroyTextureObject(object));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuTexObjectDestroy(object));
}

TEST_F(TextureTest, LinearMemoryMustBeAlignedAndThere) {
  EXPECT_OK(Make(OfMemory(kBytes)));
  EXPECT_EQ(cudaErrorInvalidValue, Make(OfMemory(kBytes + 4)));
  EXPECT_EQ(cudaErrorInvalidValue, Make(OfMemory(0)));
  cudaResourceDesc resource = OfMemory(256);
  resource.res.linear.devPtr = data_ + 1;
  EXPECT_EQ(cudaErrorInvalidValue, Make(resource));
  int host = 0;
  resource.res.linear.devPtr = &host;
  EXPECT_EQ(cudaErrorInvalidValue, Make(resource));
  resource = OfMemory(256);
  resource.res.linear.desc = {7, 0, 0, 0, cudaChannelFormatKindSigned};
  EXPECT_EQ(cudaErrorInvalidChannelDescriptor, Make(resource));
  resource = OfMemory(256);
  resource.flags = 1;
  EXPECT_EQ(cudaErrorInvalidValue, Make(resource));
}

TEST_F(TextureTest, PitchedMemoryMustFitItsPitch) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypePitch2D;
  auto& pitched = resource.res.pitch2D;
  pitched = {data_, kFloats, 16, 16, 512};
  EXPECT_OK(Make(resource));
  pitched.pitchInBytes = 500;  // not of 32 bytes
  EXPECT_EQ(cudaErrorInvalidValue, Make(resource));
  pitched.pitchInBytes = 32;  // less than a row
  EXPECT_EQ(cudaErrorInvalidValue, Make(resource));
  pitched.pitchInBytes = 512;
  pitched.height = kBytes / 512 + 1;
  EXPECT_EQ(cudaErrorInvalidValue, Make(resource));
}

TEST_F(TextureTest, ViewsAreOfArrays) {
  cudaResourceViewDesc view{};
  view.format = cudaResViewFormatFloat1;
  view.width = view.height = 16;
  EXPECT_OK(Make(OfArray(), {}, &view));
  EXPECT_EQ(cudaErrorInvalidValue, Make(OfMemory(256), {}, &view));
  view.lastMipmapLevel = 1;
  EXPECT_EQ(cudaErrorInvalidValue, Make(OfArray(), {}, &view));
}

TEST_F(TextureTest, FlagsFitTheResource) {
  cudaTextureDesc seamless{};
  seamless.seamlessCubemap = 1;
  EXPECT_EQ(cudaErrorInvalidValue, Make(OfArray(), seamless));
  cudaMipmappedArray_t mips = nullptr;
  ASSERT_OK(cudaMallocMipmappedArray(&mips, &kFloats, {16, 16, 0}, 3));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = mips;
  EXPECT_EQ(cudaErrorInvalidValue, Make(resource));
  cudaTextureDesc normalized{};
  normalized.normalizedCoords = 1;
  EXPECT_OK(Make(resource, normalized));
  EXPECT_OK(cudaFreeMipmappedArray(mips));
  EXPECT_EQ(cudaErrorInvalidValue, Make(resource, normalized));
}

TEST_F(TextureTest, SurfacesAreOfArraysMadeForThem) {
  cudaResourceDesc resource = OfArray();
  cudaSurfaceObject_t surface = 0;
  ASSERT_OK(cudaCreateSurfaceObject(&surface, &resource));
  CUDA_RESOURCE_DESC shown{};
  ASSERT_EQ(CUDA_SUCCESS, cuSurfObjectGetResourceDesc(&shown, surface));
  EXPECT_EQ(reinterpret_cast<CUarray>(array_), shown.res.array.hArray);
  // A surface is no texture.
  EXPECT_EQ(cudaErrorInvalidValue, cudaDestroyTextureObject(surface));
  EXPECT_OK(cudaDestroySurfaceObject(surface));
  cudaArray_t plain = nullptr;
  ASSERT_OK(cudaMallocArray(&plain, &kFloats, 16, 16));
  resource.res.array.array = plain;
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaCreateSurfaceObject(&surface, &resource));
  EXPECT_OK(cudaFreeArray(plain));
  EXPECT_EQ(cudaErrorInvalidResourceHandle,
            cudaCreateSurfaceObject(&surface, &resource));
  resource = OfMemory(256);
  EXPECT_EQ(cudaErrorInvalidValue,
            cudaCreateSurfaceObject(&surface, &resource));
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0
// Functions that cuDNN 9 removed and that programs built for cuDNN 7 and 8
// (MXNet, PyTorch 2.0) call. Prototypes: cudnn_adv_infer.h and
// cudnn_adv_train.h of cuDNN 8 (the wheel nvidia-cudnn-cu11), compared type by
// type.
#ifndef DLTAP_SHIM_SPECS_SUPPLEMENT_CUDNN_REMOVED_H_
#define DLTAP_SHIM_SPECS_SUPPLEMENT_CUDNN_REMOVED_H_

#include <cudnn.h>

extern "C" {

// What a layer is, and the room that it needs.

cudnnStatus_t cudnnSetRNNDescriptor_v6(
    cudnnHandle_t handle, cudnnRNNDescriptor_t rnnDesc, const int hiddenSize,
    const int numLayers, cudnnDropoutDescriptor_t dropoutDesc,
    cudnnRNNInputMode_t inputMode, cudnnDirectionMode_t direction,
    cudnnRNNMode_t cellMode, cudnnRNNAlgo_t algo, cudnnDataType_t mathPrec);

cudnnStatus_t cudnnGetRNNDescriptor_v6(
    cudnnHandle_t handle, cudnnRNNDescriptor_t rnnDesc, int* hiddenSize,
    int* numLayers, cudnnDropoutDescriptor_t* dropoutDesc,
    cudnnRNNInputMode_t* inputMode, cudnnDirectionMode_t* direction,
    cudnnRNNMode_t* cellMode, cudnnRNNAlgo_t* algo, cudnnDataType_t* mathPrec);

cudnnStatus_t cudnnSetRNNMatrixMathType(cudnnRNNDescriptor_t rnnDesc,
                                        cudnnMathType_t mType);

cudnnStatus_t cudnnGetRNNMatrixMathType(cudnnRNNDescriptor_t rnnDesc,
                                        cudnnMathType_t* mType);

cudnnStatus_t cudnnSetRNNBiasMode(cudnnRNNDescriptor_t rnnDesc,
                                  cudnnRNNBiasMode_t biasMode);

cudnnStatus_t cudnnGetRNNBiasMode(cudnnRNNDescriptor_t rnnDesc,
                                  cudnnRNNBiasMode_t* biasMode);

cudnnStatus_t cudnnRNNSetClip(cudnnHandle_t handle,
                              cudnnRNNDescriptor_t rnnDesc,
                              cudnnRNNClipMode_t clipMode,
                              cudnnNanPropagation_t clipNanOpt, double lclip,
                              double rclip);

cudnnStatus_t cudnnRNNGetClip(cudnnHandle_t handle,
                              cudnnRNNDescriptor_t rnnDesc,
                              cudnnRNNClipMode_t* clipMode,
                              cudnnNanPropagation_t* clipNanOpt, double* lclip,
                              double* rclip);

cudnnStatus_t cudnnSetRNNProjectionLayers(cudnnHandle_t handle,
                                          cudnnRNNDescriptor_t rnnDesc,
                                          const int recProjSize,
                                          const int outProjSize);

cudnnStatus_t cudnnGetRNNProjectionLayers(cudnnHandle_t handle,
                                          const cudnnRNNDescriptor_t rnnDesc,
                                          int* recProjSize, int* outProjSize);

cudnnStatus_t cudnnSetRNNPaddingMode(cudnnRNNDescriptor_t rnnDesc,
                                     unsigned paddingMode);

cudnnStatus_t cudnnGetRNNPaddingMode(cudnnRNNDescriptor_t rnnDesc,
                                     unsigned* paddingMode);

cudnnStatus_t cudnnGetRNNWorkspaceSize(cudnnHandle_t handle,
                                       const cudnnRNNDescriptor_t rnnDesc,
                                       const int seqLength,
                                       const cudnnTensorDescriptor_t* xDesc,
                                       size_t* sizeInBytes);

cudnnStatus_t cudnnGetRNNTrainingReserveSize(
    cudnnHandle_t handle, const cudnnRNNDescriptor_t rnnDesc,
    const int seqLength, const cudnnTensorDescriptor_t* xDesc,
    size_t* sizeInBytes);

cudnnStatus_t cudnnGetRNNParamsSize(cudnnHandle_t handle,
                                    const cudnnRNNDescriptor_t rnnDesc,
                                    const cudnnTensorDescriptor_t xDesc,
                                    size_t* sizeInBytes,
                                    cudnnDataType_t dataType);

cudnnStatus_t cudnnGetRNNLinLayerMatrixParams(
    cudnnHandle_t handle, const cudnnRNNDescriptor_t rnnDesc,
    const int pseudoLayer, const cudnnTensorDescriptor_t xDesc,
    const cudnnFilterDescriptor_t wDesc, const void* w, const int linLayerID,
    cudnnFilterDescriptor_t linLayerMatDesc, void** linLayerMat);

cudnnStatus_t cudnnGetRNNLinLayerBiasParams(
    cudnnHandle_t handle, const cudnnRNNDescriptor_t rnnDesc,
    const int pseudoLayer, const cudnnTensorDescriptor_t xDesc,
    const cudnnFilterDescriptor_t wDesc, const void* w, const int linLayerID,
    cudnnFilterDescriptor_t linLayerBiasDesc, void** linLayerBias);

// Versions of the sub-libraries.

cudnnStatus_t cudnnOpsInferVersionCheck(void);
cudnnStatus_t cudnnOpsTrainVersionCheck(void);
cudnnStatus_t cudnnCnnInferVersionCheck(void);
cudnnStatus_t cudnnCnnTrainVersionCheck(void);
cudnnStatus_t cudnnAdvInferVersionCheck(void);
cudnnStatus_t cudnnAdvTrainVersionCheck(void);

// One step.

cudnnStatus_t cudnnRNNForwardInference(
    cudnnHandle_t handle, const cudnnRNNDescriptor_t rnnDesc,
    const int seqLength, const cudnnTensorDescriptor_t* xDesc, const void* x,
    const cudnnTensorDescriptor_t hxDesc, const void* hx,
    const cudnnTensorDescriptor_t cxDesc, const void* cx,
    const cudnnFilterDescriptor_t wDesc, const void* w,
    const cudnnTensorDescriptor_t* yDesc, void* y,
    const cudnnTensorDescriptor_t hyDesc, void* hy,
    const cudnnTensorDescriptor_t cyDesc, void* cy, void* workSpace,
    size_t workSpaceSizeInBytes);

cudnnStatus_t cudnnRNNForwardTraining(
    cudnnHandle_t handle, const cudnnRNNDescriptor_t rnnDesc,
    const int seqLength, const cudnnTensorDescriptor_t* xDesc, const void* x,
    const cudnnTensorDescriptor_t hxDesc, const void* hx,
    const cudnnTensorDescriptor_t cxDesc, const void* cx,
    const cudnnFilterDescriptor_t wDesc, const void* w,
    const cudnnTensorDescriptor_t* yDesc, void* y,
    const cudnnTensorDescriptor_t hyDesc, void* hy,
    const cudnnTensorDescriptor_t cyDesc, void* cy, void* workSpace,
    size_t workSpaceSizeInBytes, void* reserveSpace,
    size_t reserveSpaceSizeInBytes);

cudnnStatus_t cudnnRNNBackwardData(
    cudnnHandle_t handle, const cudnnRNNDescriptor_t rnnDesc,
    const int seqLength, const cudnnTensorDescriptor_t* yDesc, const void* y,
    const cudnnTensorDescriptor_t* dyDesc, const void* dy,
    const cudnnTensorDescriptor_t dhyDesc, const void* dhy,
    const cudnnTensorDescriptor_t dcyDesc, const void* dcy,
    const cudnnFilterDescriptor_t wDesc, const void* w,
    const cudnnTensorDescriptor_t hxDesc, const void* hx,
    const cudnnTensorDescriptor_t cxDesc, const void* cx,
    const cudnnTensorDescriptor_t* dxDesc, void* dx,
    const cudnnTensorDescriptor_t dhxDesc, void* dhx,
    const cudnnTensorDescriptor_t dcxDesc, void* dcx, void* workSpace,
    size_t workSpaceSizeInBytes, void* reserveSpace,
    size_t reserveSpaceSizeInBytes);

cudnnStatus_t cudnnRNNBackwardWeights(
    cudnnHandle_t handle, const cudnnRNNDescriptor_t rnnDesc,
    const int seqLength, const cudnnTensorDescriptor_t* xDesc, const void* x,
    const cudnnTensorDescriptor_t hxDesc, const void* hx,
    const cudnnTensorDescriptor_t* yDesc, const void* y, const void* workSpace,
    size_t workSpaceSizeInBytes, const cudnnFilterDescriptor_t dwDesc, void* dw,
    const void* reserveSpace, size_t reserveSpaceSizeInBytes);

// With padded or packed sequences of different lengths.

cudnnStatus_t cudnnRNNForwardInferenceEx(
    cudnnHandle_t handle, const cudnnRNNDescriptor_t rnnDesc,
    const cudnnRNNDataDescriptor_t xDesc, const void* x,
    const cudnnTensorDescriptor_t hxDesc, const void* hx,
    const cudnnTensorDescriptor_t cxDesc, const void* cx,
    const cudnnFilterDescriptor_t wDesc, const void* w,
    const cudnnRNNDataDescriptor_t yDesc, void* y,
    const cudnnTensorDescriptor_t hyDesc, void* hy,
    const cudnnTensorDescriptor_t cyDesc, void* cy,
    const cudnnRNNDataDescriptor_t kDesc, const void* keys,
    const cudnnRNNDataDescriptor_t cDesc, void* cAttn,
    const cudnnRNNDataDescriptor_t iDesc, void* iAttn,
    const cudnnRNNDataDescriptor_t qDesc, void* queries, void* workSpace,
    size_t workSpaceSizeInBytes);

cudnnStatus_t cudnnRNNForwardTrainingEx(
    cudnnHandle_t handle, const cudnnRNNDescriptor_t rnnDesc,
    const cudnnRNNDataDescriptor_t xDesc, const void* x,
    const cudnnTensorDescriptor_t hxDesc, const void* hx,
    const cudnnTensorDescriptor_t cxDesc, const void* cx,
    const cudnnFilterDescriptor_t wDesc, const void* w,
    const cudnnRNNDataDescriptor_t yDesc, void* y,
    const cudnnTensorDescriptor_t hyDesc, void* hy,
    const cudnnTensorDescriptor_t cyDesc, void* cy,
    const cudnnRNNDataDescriptor_t kDesc, const void* keys,
    const cudnnRNNDataDescriptor_t cDesc, void* cAttn,
    const cudnnRNNDataDescriptor_t iDesc, void* iAttn,
    const cudnnRNNDataDescriptor_t qDesc, void* queries, void* workSpace,
    size_t workSpaceSizeInBytes, void* reserveSpace,
    size_t reserveSpaceSizeInBytes);

cudnnStatus_t cudnnRNNBackwardDataEx(
    cudnnHandle_t handle, const cudnnRNNDescriptor_t rnnDesc,
    const cudnnRNNDataDescriptor_t yDesc, const void* y,
    const cudnnRNNDataDescriptor_t dyDesc, const void* dy,
    const cudnnRNNDataDescriptor_t dcDesc, const void* dcAttn,
    const cudnnTensorDescriptor_t dhyDesc, const void* dhy,
    const cudnnTensorDescriptor_t dcyDesc, const void* dcy,
    const cudnnFilterDescriptor_t wDesc, const void* w,
    const cudnnTensorDescriptor_t hxDesc, const void* hx,
    const cudnnTensorDescriptor_t cxDesc, const void* cx,
    const cudnnRNNDataDescriptor_t dxDesc, void* dx,
    const cudnnTensorDescriptor_t dhxDesc, void* dhx,
    const cudnnTensorDescriptor_t dcxDesc, void* dcx,
    const cudnnRNNDataDescriptor_t dkDesc, void* dkeys, void* workSpace,
    size_t workSpaceSizeInBytes, void* reserveSpace,
    size_t reserveSpaceSizeInBytes);

cudnnStatus_t cudnnRNNBackwardWeightsEx(
    cudnnHandle_t handle, const cudnnRNNDescriptor_t rnnDesc,
    const cudnnRNNDataDescriptor_t xDesc, const void* x,
    const cudnnTensorDescriptor_t hxDesc, const void* hx,
    const cudnnRNNDataDescriptor_t yDesc, const void* y, void* workSpace,
    size_t workSpaceSizeInBytes, const cudnnFilterDescriptor_t dwDesc, void* dw,
    void* reserveSpace, size_t reserveSpaceSizeInBytes);

}  // extern "C"

#endif  // DLTAP_SHIM_SPECS_SUPPLEMENT_CUDNN_REMOVED_H_

# SPDX-License-Identifier: Apache-2.0
# Finds the CUDA toolkit that scripts/setup.sh chose (DLTAP_CUDA_ROOT), and the
# headers of cuDNN, NCCL and cuSPARSELt, which a toolkit from NVIDIA's installer
# keeps elsewhere. Gives
#   DltapCuda::headers      all include folders, as system headers
#   DltapCuda_INCLUDE_DIRS  the same as a list; the compiler's own left out
#   DltapCuda_INCLUDE_DIR   the toolkit's own
#   DltapCuda_LIBRARY_DIR, DltapCuda_NVCC, DltapCuda_VERSION
# CMake's own FindCUDAToolkit fails with CUDA 13 under CMake 3.25. Nothing is
# cached: DLTAP_CUDA_ROOT may change between two configures.
set(DltapCuda_INCLUDE_DIR ${DLTAP_CUDA_ROOT}/include)
set(DltapCuda_LIBRARY_DIR ${DLTAP_CUDA_ROOT}/lib64)
set(DltapCuda_NVCC ${DLTAP_CUDA_ROOT}/bin/nvcc)

set(DltapCuda_INCLUDE_DIRS)
set(_missing)
foreach(_header cuda_runtime.h cublasLt.h cudnn.h nccl.h cupti.h nvml.h nvrtc.h
                cufft.h curand.h cusolverDn.h cusparse.h cusparseLt.h
                nvtx3/nvToolsExt.h)
  unset(_folder)
  find_path(_folder ${_header} NO_CACHE
    HINTS ${DltapCuda_INCLUDE_DIR} ${DLTAP_CUDA_ROOT}/extras/CUPTI/include
          $ENV{CUDNN_ROOT}/include $ENV{NCCL_ROOT}/include
          $ENV{CUSPARSELT_ROOT}/include)
  if(NOT _folder)
    list(APPEND _missing ${_header})
  elseif(NOT _folder IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
    string(REGEX REPLACE "/$" "" _folder "${_folder}")
    list(APPEND DltapCuda_INCLUDE_DIRS ${_folder})
  endif()
endforeach()
list(REMOVE_DUPLICATES DltapCuda_INCLUDE_DIRS)

set(_version "")
if(EXISTS ${DltapCuda_INCLUDE_DIR}/cuda.h)
  file(STRINGS ${DltapCuda_INCLUDE_DIR}/cuda.h _line
       REGEX "^#define CUDA_VERSION [0-9]+")
  string(REGEX REPLACE "[^0-9]" "" _number "${_line}")
  math(EXPR _major "${_number} / 1000")
  math(EXPR _minor "${_number} % 1000 / 10")
  set(_version ${_major}.${_minor})
endif()
set(DltapCuda_VERSION ${_version})

set(_reason "run scripts/setup.sh, or set DLTAP_CUDA_ROOT to a CUDA toolkit")
if(DLTAP_CUDA_ROOT AND _missing)
  list(JOIN _missing ", " _missing_text)
  set(_reason "${_missing_text} not found in ${DLTAP_CUDA_ROOT} nor in the \
compiler's folders, install the development files of cuDNN, NCCL and \
cuSPARSELt, or set CUDNN_ROOT, NCCL_ROOT and CUSPARSELT_ROOT")
  set(DltapCuda_INCLUDE_DIRS)
endif()
if(NOT EXISTS ${DltapCuda_NVCC})
  set(DltapCuda_NVCC)
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(DltapCuda
  REQUIRED_VARS DltapCuda_INCLUDE_DIRS DltapCuda_NVCC
  VERSION_VAR DltapCuda_VERSION
  REASON_FAILURE_MESSAGE "${_reason}")
if(DltapCuda_FOUND AND NOT TARGET DltapCuda::headers)
  add_library(DltapCuda::headers INTERFACE IMPORTED)
  target_include_directories(DltapCuda::headers SYSTEM
    INTERFACE ${DltapCuda_INCLUDE_DIRS})
endif()

# SPDX-License-Identifier: Apache-2.0
# Finds the CUDA toolkit tree that scripts/setup.sh chose, or a real toolkit.
#   DLTAP_CUDA_ROOT       where it lies (default: build/toolchain.env)
#   DltapCuda::headers    include folder, as system headers
#   DltapCuda_INCLUDE_DIR, DltapCuda_LIBRARY_DIR, DltapCuda_NVCC
# CMake's own FindCUDAToolkit fails with CUDA 13 under CMake 3.25.
set(DLTAP_CUDA_ROOT "" CACHE PATH "CUDA toolkit tree")
set(_env ${PROJECT_SOURCE_DIR}/build/toolchain.env)
if(NOT DLTAP_CUDA_ROOT AND EXISTS ${_env})
  file(STRINGS ${_env} _line REGEX "^DLTAP_CUDA_ROOT=")
  string(REGEX REPLACE "^DLTAP_CUDA_ROOT=" "" _root "${_line}")
  set(DLTAP_CUDA_ROOT "${_root}" CACHE PATH "CUDA toolkit tree" FORCE)
endif()
find_path(DltapCuda_INCLUDE_DIR cuda_runtime.h
  HINTS ${DLTAP_CUDA_ROOT}/include ENV CUDA_HOME
  PATH_SUFFIXES include NO_CMAKE_SYSTEM_PATH)
find_program(DltapCuda_NVCC nvcc
  HINTS ${DLTAP_CUDA_ROOT}/bin NO_CMAKE_SYSTEM_PATH)
set(DltapCuda_LIBRARY_DIR ${DLTAP_CUDA_ROOT}/lib64)
if(DltapCuda_INCLUDE_DIR)
  file(STRINGS ${DltapCuda_INCLUDE_DIR}/cuda.h _version
       REGEX "^#define CUDA_VERSION [0-9]+")
  string(REGEX REPLACE "[^0-9]" "" _version "${_version}")
  math(EXPR _major "${_version} / 1000")
  math(EXPR _minor "(${_version} % 1000) / 10")
  set(DltapCuda_VERSION ${_major}.${_minor})
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(DltapCuda
  REQUIRED_VARS DltapCuda_INCLUDE_DIR
  VERSION_VAR DltapCuda_VERSION
  REASON_FAILURE_MESSAGE "run scripts/setup.sh, or set DLTAP_CUDA_ROOT")
if(DltapCuda_FOUND AND NOT TARGET DltapCuda::headers)
  add_library(DltapCuda::headers INTERFACE IMPORTED)
  set_target_properties(DltapCuda::headers PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES ${DltapCuda_INCLUDE_DIR}
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${DltapCuda_INCLUDE_DIR})
endif()

# SPDX-License-Identifier: Apache-2.0
# Reads which tools scripts/setup.sh chose for this clone; -D wins over it.
#   DLTAP_CUDA_ROOT         CUDA toolkit: headers, nvcc
#   DLTAP_PYTHON            interpreter with PyTorch, for workloads and tests
#   DLTAP_CUDA12_ROOT       headers of CUDA 12, if they are there
#   DLTAP_TESTS_PYTHON      interpreter with what tests and wheels need, if there
#   DLTAP_NODE              node, and with
#   DLTAP_WEB_TOOLS         the npm packages that bundle analyzer/web, if there
#   DLTAP_GENERATOR_PYTHON  interpreter with libclang, for the generators
# They stay normal variables, so that a new choice is seen by the next
# configure; find modules must not cache what they derive from them either.
set(_chosen ${PROJECT_SOURCE_DIR}/build/toolchain.env)
if(EXISTS ${_chosen})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${_chosen})
  file(STRINGS ${_chosen} _lines REGEX "^DLTAP_[A-Z0-9_]+=")
  foreach(_line IN LISTS _lines)
    string(REGEX MATCH "^([A-Z0-9_]+)=(.*)$" _ "${_line}")
    if(NOT DEFINED CACHE{${CMAKE_MATCH_1}})
      set(${CMAKE_MATCH_1} "${CMAKE_MATCH_2}")
    endif()
  endforeach()
endif()
if(NOT DLTAP_GENERATOR_PYTHON)
  set(DLTAP_GENERATOR_PYTHON "${DLTAP_PYTHON}")
endif()
if(NOT DLTAP_GENERATOR_PYTHON)
  message(FATAL_ERROR "no Python chosen: run scripts/setup.sh, or set "
          "DLTAP_PYTHON and DLTAP_CUDA_ROOT")
endif()
set(Python3_EXECUTABLE "${DLTAP_GENERATOR_PYTHON}")

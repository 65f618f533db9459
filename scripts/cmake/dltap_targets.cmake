# SPDX-License-Identifier: Apache-2.0
# Helpers that every CMakeLists.txt of the project uses: flag sets, libraries,
# tests.

find_program(DLTAP_CCACHE ccache)
if(DLTAP_CCACHE)
  # Clones and worktrees share what they compile.
  set(launcher env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
      ${DLTAP_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

set(DLTAP_SANITIZE "" CACHE STRING "address, thread or undefined")
if(DLTAP_SANITIZE)
  # A program may hand the simulated libraries numbers that are no values of an
  # enum: C allows it, and they answer with an error.
  add_compile_options(-fsanitize=${DLTAP_SANITIZE} -fno-sanitize=enum
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${DLTAP_SANITIZE})
  if(DLTAP_SANITIZE STREQUAL "thread")
    # g++ warns that it does not follow fences: the reader of another process's
    # ring has one.
    add_compile_options(-Wno-tsan)
  endif()
endif()

add_library(dltap_strict INTERFACE)
# -Wno-restrict: g++ 12 warns of std::string's own code (GCC bug 105651).
target_compile_options(dltap_strict
  INTERFACE -Wall -Wextra -Werror $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
target_include_directories(dltap_strict INTERFACE ${PROJECT_SOURCE_DIR})

# Code that lives in the user's process: no C++ run-time library, nothing
# visible by accident, thread-local data without a call.
add_library(dltap_in_process INTERFACE)
target_compile_options(dltap_in_process INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions;-fno-rtti;-fno-threadsafe-statics>
  -fvisibility=hidden -fno-plt -fno-semantic-interposition
  -ffunction-sections -fdata-sections -ftls-model=initial-exec)
target_link_options(dltap_in_process INTERFACE
  -Wl,-z,defs,-z,now,-z,relro,-z,nodelete,--exclude-libs,ALL,--gc-sections)

# dltap_library(NAME SOURCES... [LIBS ...]): a static library of the project.
function(dltap_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC dltap_strict ${ARG_LIBS})
endfunction()

# dltap_test(NAME SOURCES... [LIBS ...] [LABELS ...]): a GoogleTest program, one
# ctest entry.
function(dltap_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS;LABELS" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} ${ARG_SOURCES})
  if(DLTAP_SANITIZE STREQUAL "address")
    target_sources(${name}
      PRIVATE ${PROJECT_SOURCE_DIR}/tests/support/asan_options.cc)
  endif()
  target_link_libraries(${name}
    PRIVATE dltap_strict ${ARG_LIBS} GTest::gmock GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  if(ARG_LABELS)
    set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}")
  endif()
endfunction()

# dltap_python_test(NAME SCRIPT [ARGS ...] [LABELS ...]): one ctest entry that
# runs SCRIPT with the interpreter of the generators; the source tree is its
# working folder, so that `unittest` files may import scripts/.
function(dltap_python_test name script)
  cmake_parse_arguments(ARG "" "" "ARGS;LABELS" ${ARGN})
  get_filename_component(path ${script} ABSOLUTE)
  add_test(NAME ${name}
           COMMAND ${DLTAP_GENERATOR_PYTHON} -B ${path} ${ARG_ARGS}
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}")
endfunction()

# dltap_bench(NAME SOURCES... [LIBS ...]): a Google Benchmark program; built,
# never run by ctest, since nothing here judges a time.
function(dltap_bench name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  find_package(benchmark REQUIRED)
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name}
    PRIVATE dltap_strict ${ARG_LIBS} benchmark::benchmark_main)
endfunction()

# dltap_nvcc_object(OUT_VAR SOURCE.cu [FLAGS ...]): compiles with nvcc to an
# object that a CXX target may list as a source.
function(dltap_nvcc_object out source)
  cmake_parse_arguments(ARG "" "" "FLAGS" ${ARGN})
  get_filename_component(name ${source} NAME)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.o)
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${DltapCuda_NVCC} -ccbin ${CMAKE_CXX_COMPILER} -std=c++20
            -arch=sm_90 -O2 -Xcompiler=-fPIC -I${PROJECT_SOURCE_DIR}
            ${ARG_FLAGS} -MD -MF ${object}.d -o ${object}
            -c ${CMAKE_CURRENT_SOURCE_DIR}/${source}
    DEPENDS ${source}
    DEPFILE ${object}.d
    COMMENT "Compiling ${name} with nvcc"
    VERBATIM)
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON)
  set(${out} ${object} PARENT_SCOPE)
endfunction()

# SPDX-License-Identifier: Apache-2.0
# Helpers that every CMakeLists.txt of the project uses: flag sets, libraries, tests.

add_library(dltap_strict INTERFACE)
target_compile_options(dltap_strict INTERFACE -Wall -Wextra -Werror)
target_include_directories(dltap_strict INTERFACE ${PROJECT_SOURCE_DIR})

# dltap_library(NAME SOURCES... [LIBS ...]): a static library of the project.
function(dltap_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC dltap_strict ${ARG_LIBS})
endfunction()

# dltap_test(NAME SOURCES... [LIBS ...] [LABELS ...]): a GoogleTest program, one ctest entry.
function(dltap_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS;LABELS" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE dltap_strict ${ARG_LIBS} GTest::gmock GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  if(ARG_LABELS)
    set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}")
  endif()
endfunction()

# SPDX-License-Identifier: Apache-2.0
# dltap_simgpu_library(LIB SONAME SOURCES... [INCLUDES ...])
#
# Builds one simulated vendor library, build/simgpu/cu13/SONAME: the sources given
# here, and a generated default body for every other function of its headers.
# LIB is the spec's name (shim/specs/LIB.toml). The target is sim_LIB.
set(DLTAP_SIMGPU_DIR ${PROJECT_BINARY_DIR}/simgpu/cu13 CACHE INTERNAL
    "where the simulated libraries of CUDA 13 are built")

add_library(dltap_simgpu_flags INTERFACE)
target_compile_options(dltap_simgpu_flags INTERFACE -fvisibility=hidden
                       -fvisibility-inlines-hidden)
target_link_options(dltap_simgpu_flags INTERFACE
  -Wl,-z,defs -Wl,-z,nodelete -Wl,-Bsymbolic-functions -Wl,--enable-new-dtags)

# Makes the shared library `target` build/simgpu/cu13/SONAME, which exports what
# the version script names.
function(dltap_simgpu_output target soname script)
  target_link_options(${target} PRIVATE
    -Wl,-soname,${soname} -Wl,--version-script=${script})
  set_target_properties(${target} PROPERTIES
    PREFIX "" OUTPUT_NAME ${soname} SUFFIX "" NO_SONAME ON
    LINK_DEPENDS ${script}
    LIBRARY_OUTPUT_DIRECTORY ${DLTAP_SIMGPU_DIR}
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN")
  set_property(GLOBAL APPEND PROPERTY DLTAP_SIMGPU_LIBRARIES ${target})
  # Libraries launch by addresses from the driver, which they open.
  if(NOT target STREQUAL sim_cuda)
    add_dependencies(${target} sim_cuda)
  endif()
endfunction()

# Exported functions that show their arguments to CUPTI's callbacks are
# generated; what the library's sources define under those names are bodies.
function(dltap_simgpu_entries target lib)
  get_property(entries GLOBAL PROPERTY DLTAP_SIMGPU_ENTRIES_${lib})
  if(NOT entries)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cc$")
  list(FILTER sources EXCLUDE REGEX "_addresses\\.cc$")
  set_property(SOURCE ${sources} APPEND PROPERTY COMPILE_OPTIONS
    -include ${PROJECT_BINARY_DIR}/generated/simgpu/bodies_${lib}.h)
  target_sources(${target} PRIVATE ${entries})
endfunction()

function(dltap_simgpu_library lib soname)
  cmake_parse_arguments(ARG "" "" "SOURCES;INCLUDES" ${ARGN})
  get_property(defaults GLOBAL PROPERTY DLTAP_SIMGPU_DEFAULTS_${lib})
  set(target sim_${lib})
  add_library(${target} SHARED ${ARG_SOURCES} ${defaults})
  dltap_simgpu_entries(${target} ${lib})
  target_include_directories(${target} SYSTEM PRIVATE
                             ${DLTAP_CUDA_ROOT}/include ${ARG_INCLUDES})
  target_link_libraries(${target} PRIVATE dltap_strict dltap_simgpu_flags
                        dltap_specs_generated dltapsim dltap_opmodel
                        dltap_sim_versions13)
  set(script ${CMAKE_CURRENT_SOURCE_DIR}/${lib}.lds)
  if(defaults)
    set(script ${PROJECT_BINARY_DIR}/generated/simgpu/cuda13/${lib}.lds)
  endif()
  dltap_simgpu_output(${target} ${soname} ${script})
endfunction()

# dltap_simgpu_calls(LIB CALLS BODIES DEPENDS...): generates the functions that
# calls.toml of this folder lists, and a header that declares their bodies.
function(dltap_simgpu_calls lib calls bodies)
  set(folder ${PROJECT_SOURCE_DIR}/simgpu)
  set(generator ${folder}/driver/gen_api_calls.py)
  file(GLOB modules CONFIGURE_DEPENDS
       ${PROJECT_SOURCE_DIR}/shim/specs/generate/entry_points/*.py)
  set(lists ${CMAKE_CURRENT_SOURCE_DIR}/calls.toml ${folder}/driver/calls.toml)
  set(table ${folder}/cudart/driver_table.h)
  set(specs ${PROJECT_SOURCE_DIR}/shim/specs)
  add_custom_command(
    OUTPUT ${calls} ${bodies}
    COMMAND ${DLTAP_GENERATOR_PYTHON} -B ${generator} --specs ${specs}
            --include ${DLTAP_CUDA_ROOT}/include --include ${PROJECT_SOURCE_DIR}
            --compiler ${CMAKE_CXX_COMPILER} --library ${lib} --lists ${lists}
            --table ${table} --calls ${calls} --bodies ${bodies}
    DEPENDS ${generator} ${folder}/driver/alike.py
            ${folder}/driver/call_lists.py ${modules} ${lists} ${table} ${specs}/cuda.toml
            ${specs}/cudart.toml
    COMMENT "Generating the calls of the simulated ${lib}"
    VERBATIM)
endfunction()

# Triton's profiler opens a file of this name in a folder that it is told.
function(dltap_cupti_for_proton target)
  set(folder $<TARGET_FILE_DIR:${target}>/proton)
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}
    COMMAND ${CMAKE_COMMAND} -E create_symlink
            ../$<TARGET_FILE_NAME:${target}> ${folder}/libcupti.so
    VERBATIM)
endfunction()

# SPDX-License-Identifier: Apache-2.0
# What the profiles of older CUDA versions share: libraries that are linked anew
# from the objects of their twins in a newer profile, and links to the rest.

# dltap_join_objects(OUT LIB TWIN RENAMES OBJECTS...): LIB.o, of the objects
# given, which are those that TWIN is made of. RENAMES: a file of lines "today's
# name, name in LIB.o", or "".
function(dltap_join_objects out lib twin renames)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${lib}.o)
  set(rename)
  if(renames)
    set(rename COMMAND ${CMAKE_OBJCOPY} --redefine-syms=${renames} ${object})
  endif()
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${CMAKE_LINKER} -r -o ${object} ${ARGN}
    ${rename}
    DEPENDS ${twin} ${renames}
    COMMENT "Joining the objects of ${twin}"
    COMMAND_EXPAND_LISTS VERBATIM)
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON
                              GENERATED ON)
  set(${out} ${object} PARENT_SCOPE)
endfunction()

# dltap_twin_library(TARGET LIB SONAME PROFILE FOLDER NEEDS ... SOURCES ...):
# TARGET is FOLDER/SONAME, with the version script of LIB in PROFILE (cuda12).
function(dltap_twin_library target lib soname profile folder)
  cmake_parse_arguments(ARG "" "" "NEEDS;SOURCES" ${ARGN})
  add_library(${target} SHARED ${ARG_SOURCES})
  target_include_directories(${target} SYSTEM PRIVATE
                             ${DLTAP_CUDA_ROOT}/include)
  target_link_libraries(${target} PRIVATE ${ARG_NEEDS})
  dltap_simgpu_output(${target} ${soname}
    ${PROJECT_BINARY_DIR}/generated/simgpu/${profile}/${lib}.lds)
  set_target_properties(${target} PROPERTIES
    LINKER_LANGUAGE CXX LIBRARY_OUTPUT_DIRECTORY ${folder})
endfunction()

# dltap_link_profile(TARGET FOLDER FROM EXCEPT ... DEPENDS ...): links in FOLDER
# to all files of the profile FROM beside it (cu13), but to those in EXCEPT.
function(dltap_link_profile target folder from)
  cmake_parse_arguments(ARG "" "" "EXCEPT;DEPENDS" ${ARGN})
  set(stamp ${CMAKE_CURRENT_BINARY_DIR}/links.stamp)
  set(script ${PROJECT_SOURCE_DIR}/simgpu/link_files.cmake)
  add_custom_command(
    OUTPUT ${stamp}
    COMMAND ${CMAKE_COMMAND} -DFROM=../${from} -DTO=${folder}
            "-DEXCEPT=${ARG_EXCEPT}" -P ${script}
    COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
    DEPENDS ${ARG_DEPENDS} ${script}
    COMMENT "Linking the simulated libraries that ${folder} shares with ${from}"
    VERBATIM)
  add_custom_target(${target} ALL DEPENDS ${stamp})
endfunction()

# SPDX-License-Identifier: Apache-2.0
# The Debian packages that the analyzer links, static where Debian ships an
# archive, so that a built `dltap` moves to another machine with as little as
# can be. simdjson comes only as a shared library; dltap_install.cmake ships it.

find_package(absl REQUIRED)
# Debian's config names the shared libraries; their archives lie beside them.
get_property(_targets DIRECTORY PROPERTY IMPORTED_TARGETS)
list(FILTER _targets INCLUDE REGEX "^absl::")
foreach(_target IN LISTS _targets)
  get_target_property(_shared ${_target} IMPORTED_LOCATION_NONE)
  if(_shared)
    string(REGEX REPLACE "\\.so[.0-9]*$" ".a" _archive "${_shared}")
    if(EXISTS ${_archive})
      set_target_properties(${_target} PROPERTIES
        IMPORTED_LOCATION_NONE ${_archive} IMPORTED_SONAME_NONE "")
    endif()
  endif()
endforeach()

find_library(SQLite3_LIBRARY NAMES libsqlite3.a sqlite3)
set(Protobuf_USE_STATIC_LIBS ON)
find_package(Protobuf REQUIRED)
find_package(SQLite3 REQUIRED)
find_library(ZLIB_LIBRARY NAMES libz.a z)
find_package(ZLIB REQUIRED)
find_package(zstd REQUIRED)  # zstd::libzstd_static
find_package(simdjson REQUIRED)
find_package(CLI11 REQUIRED)

# SPDX-License-Identifier: Apache-2.0
# What is installed, and the tarball: `cpack` in the build folder. The component
# `simgpu` is a wheel of its own (scripts/wheel.sh), `program` the other one.
#   bin/dltap
#   lib/dltap/libdltap.so            the library that is preloaded
#   lib/dltap/libsimdjson.so.N       only `dltap` needs it; found by RPATH
#   lib/dltap/simgpu/<profile>/*.so  simulated CUDA, never beside libdltap.so
#   share/doc/dltap/, share/man/, and for completion share/bash-completion/,
#   share/zsh/, share/fish/
# A Debian package: scripts/deb/CPackDeb.cmake.in.
include(GNUInstallDirs)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME program)
set(DLTAP_LIB_DIR ${CMAKE_INSTALL_LIBDIR}/dltap)
if(CMAKE_INSTALL_LIBDIR MATCHES "/")
  set(DLTAP_LIB_DIR lib/dltap)  # the multiarch folder is the distribution's
endif()

if(TARGET dltap)
  set_target_properties(dltap PROPERTIES
    INSTALL_RPATH "$ORIGIN/../${DLTAP_LIB_DIR}" BUILD_WITH_INSTALL_RPATH ON)
  install(TARGETS dltap RUNTIME DESTINATION bin)
  install(IMPORTED_RUNTIME_ARTIFACTS simdjson::simdjson
          LIBRARY DESTINATION ${DLTAP_LIB_DIR} COMPONENT bundled)
endif()
if(TARGET dltap_tap)
  install(TARGETS dltap_tap LIBRARY DESTINATION ${DLTAP_LIB_DIR})
endif()
install(DIRECTORY ${PROJECT_BINARY_DIR}/simgpu/
        DESTINATION ${DLTAP_LIB_DIR}/simgpu COMPONENT simgpu
        FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ
        OPTIONAL FILES_MATCHING PATTERN "*.so*" PATTERN CMakeFiles EXCLUDE)
# install(TARGETS) strips by itself.
install(CODE [[
  file(GLOB libraries "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib/dltap/simgpu/*/*.so*")
  if(CMAKE_INSTALL_DO_STRIP AND libraries)
    execute_process(COMMAND strip --strip-unneeded ${libraries})
  endif()
]] COMPONENT simgpu)
install(DIRECTORY ${PROJECT_BINARY_DIR}/share/ DESTINATION share OPTIONAL)
install(FILES README.md CHANGELOG.md DESTINATION share/doc/dltap)
install(FILES LICENSE DESTINATION share/doc/dltap COMPONENT bundled)

# Of the Debian package alone.
set(DLTAP_MAINTAINER "dltap maintainers <maintainers@example.org>")
configure_file(scripts/deb/CPackDeb.cmake.in CPackDeb.cmake @ONLY)
configure_file(scripts/deb/changelog.in deb/changelog @ONLY)
execute_process(COMMAND gzip -9nkf ${PROJECT_BINARY_DIR}/deb/changelog)
install(FILES ${PROJECT_BINARY_DIR}/deb/changelog.gz
        DESTINATION share/doc/dltap COMPONENT debian)
install(FILES scripts/deb/copyright DESTINATION share/doc/dltap
        COMPONENT debian)
install(FILES scripts/deb/lintian-overrides RENAME dltap
        DESTINATION share/lintian/overrides COMPONENT debian)

set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_NAME dltap)
set(CPACK_PACKAGE_FILE_NAME
    dltap-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)

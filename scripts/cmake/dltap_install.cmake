# SPDX-License-Identifier: Apache-2.0
# What is installed, and the tarball: `cpack` in the build folder.
#   bin/dltap
#   lib/dltap/libdltap.so            the library that is preloaded
#   lib/dltap/libsimdjson.so.N       only `dltap` needs it; found by RPATH
#   lib/dltap/simgpu/<profile>/*.so  simulated CUDA, never beside libdltap.so
#   share/doc/dltap/, share/man/, and for completion share/bash-completion/,
#   share/zsh/, share/fish/
include(GNUInstallDirs)
set(DLTAP_LIB_DIR ${CMAKE_INSTALL_LIBDIR}/dltap)
if(CMAKE_INSTALL_LIBDIR MATCHES "/")
  set(DLTAP_LIB_DIR lib/dltap)  # the multiarch folder is the distribution's
endif()

if(TARGET dltap)
  set_target_properties(dltap PROPERTIES
    INSTALL_RPATH "$ORIGIN/../${DLTAP_LIB_DIR}" BUILD_WITH_INSTALL_RPATH ON)
  install(TARGETS dltap RUNTIME DESTINATION bin)
  install(IMPORTED_RUNTIME_ARTIFACTS simdjson::simdjson
          LIBRARY DESTINATION ${DLTAP_LIB_DIR})
endif()
if(TARGET dltap_tap)
  install(TARGETS dltap_tap LIBRARY DESTINATION ${DLTAP_LIB_DIR})
endif()
install(DIRECTORY ${PROJECT_BINARY_DIR}/simgpu/
        DESTINATION ${DLTAP_LIB_DIR}/simgpu
        USE_SOURCE_PERMISSIONS OPTIONAL FILES_MATCHING PATTERN "*.so*")
install(DIRECTORY ${PROJECT_BINARY_DIR}/share/ DESTINATION share OPTIONAL)
install(FILES README.md LICENSE CHANGELOG.md DESTINATION share/doc/dltap)

set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_NAME dltap)
set(CPACK_PACKAGE_FILE_NAME
    dltap-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)

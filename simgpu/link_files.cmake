# SPDX-License-Identifier: Apache-2.0
# cmake -DFROM=../cu13 -DTO=DIR -DEXCEPT=NAME;... -P link_files.cmake: links in
# DIR to the files of FROM, which is relative to DIR; old links go.
file(GLOB old RELATIVE ${TO} ${TO}/*)
foreach(name ${old})
  if(IS_SYMLINK ${TO}/${name})
    file(REMOVE ${TO}/${name})
  endif()
endforeach()
file(GLOB names LIST_DIRECTORIES false RELATIVE ${TO}/${FROM}
     ${TO}/${FROM}/*)
list(REMOVE_ITEM names ${EXCEPT})
foreach(name ${names})
  file(CREATE_LINK ${FROM}/${name} ${TO}/${name} SYMBOLIC)
endforeach()

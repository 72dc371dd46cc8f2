# SPDX-License-Identifier: Apache-2.0
# NVTX is a handful of headers; they come with the CUDA toolkit, whose compiler is not needed.
file(GLOB _toolkits "/usr/local/cuda*/include" "/usr/local/cuda*/targets/*/include" "/opt/cuda/include")
find_path(BFSLAB_NVTX_INCLUDE_DIR nvtx3/nvToolsExt.h
  HINTS "$ENV{CUDA_HOME}/include" "$ENV{CUDA_PATH}/include" ${_toolkits})
mark_as_advanced(BFSLAB_NVTX_INCLUDE_DIR)
add_library(bfslab_nvtx INTERFACE)
if(BFSLAB_NVTX_INCLUDE_DIR)
  target_include_directories(bfslab_nvtx SYSTEM INTERFACE "${BFSLAB_NVTX_INCLUDE_DIR}")
  target_compile_definitions(bfslab_nvtx INTERFACE BFSLAB_HAVE_NVTX)
  target_link_libraries(bfslab_nvtx INTERFACE ${CMAKE_DL_LIBS})
  bfslab_report(NVTX "yes" "headers in ${BFSLAB_NVTX_INCLUDE_DIR}")
else()
  bfslab_report(NVTX "no" "no nvtx3/nvToolsExt.h: profilers see no ranges")
endif()

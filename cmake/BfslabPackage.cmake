# SPDX-License-Identifier: Apache-2.0
# find_package(bfslab) after an installation: the headers of the contract of engines, and
# bfslab_add_engine(), which makes plugins of them (docs/own_engine.md).
set(contract
  datasets/graph/buffer.hpp
  datasets/graph/csr_graph.hpp
  datasets/graph/edge_list.hpp
  datasets/graph/types.hpp
  kernels/answer.hpp
  kernels/device_errors.hpp
  kernels/engine.hpp
  kernels/level_sink.hpp
  kernels/plugin.hpp
  kernels/toggle.hpp
  kernels/unsupported.hpp
)
foreach(header IN LISTS contract)
  get_filename_component(folder "${header}" DIRECTORY)
  install(FILES "${header}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/bfslab/${folder}")
endforeach()

include(CMakePackageConfigHelpers)
set(package "${CMAKE_INSTALL_LIBDIR}/cmake/bfslab")
file(STRINGS kernels/plugin.hpp BFSLAB_CONTRACT REGEX "^#define BFSLAB_CONTRACT ")
string(REGEX REPLACE "[^0-9]" "" BFSLAB_CONTRACT "${BFSLAB_CONTRACT}")
configure_package_config_file(cmake/bfslab-config.cmake.in generated/bfslab-config.cmake
  INSTALL_DESTINATION "${package}" PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_BINDIR)
# What a plugin needs is a contract, which the program compares. Versions of the program are
# compatible as far as semantic versioning says.
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/generated/bfslab-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${CMAKE_CURRENT_BINARY_DIR}/generated/bfslab-config.cmake"
  "${CMAKE_CURRENT_BINARY_DIR}/generated/bfslab-config-version.cmake"
  DESTINATION "${package}")
install(DIRECTORY examples/ DESTINATION "${CMAKE_INSTALL_DATADIR}/bfslab/examples")

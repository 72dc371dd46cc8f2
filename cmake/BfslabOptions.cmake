# SPDX-License-Identifier: Apache-2.0
# Options, compiler flags, and the packages that every build needs. Optional parts: BfslabParts.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# Programs are at the top of the build folder: build/release/bfslab.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

option(BFSLAB_NATIVE "Compile for this machine's own instruction set" ON)
# A user's compiler may be newer than ours and warn of more. The environment of CI and the presets of
# developers switch this on.
set(werror OFF)
if("$ENV{BFSLAB_WERROR}")
  set(werror ON)
endif()
option(BFSLAB_WERROR "Treat warnings in our code as errors" ${werror})
option(BFSLAB_BENCHMARKS "Google Benchmark programs of our own parts" OFF)
option(BFSLAB_FUZZ "The libFuzzer program of tests/fuzz, all code instrumented; clang++ only" OFF)
set(BFSLAB_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize= takes them: address,undefined or thread")

# A compiler cache is used if there is one, and never required.
if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(BFSLAB_CCACHE_PROGRAM ccache)
  mark_as_advanced(BFSLAB_CCACHE_PROGRAM)
  if(BFSLAB_CCACHE_PROGRAM)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${BFSLAB_CCACHE_PROGRAM}")
  endif()
endif()

# Boost's own package files are used where CMake has removed its FindBoost.
if(POLICY CMP0167)
  cmake_policy(SET CMP0167 NEW)
endif()

# Required packages: all that are missing are named at once, with what to install, and then built from
# their sources, unless that is switched off.
include(BfslabFetch)
set(BFSLAB_MISSING "")
set(BFSLAB_TO_FETCH "")
macro(bfslab_require package debian)
  find_package(${package} ${ARGN} QUIET)
  if(NOT ${package}_FOUND)
    list(APPEND BFSLAB_MISSING "${debian}")
    if(COMMAND bfslab_fetch_${package})
      list(APPEND BFSLAB_TO_FETCH ${package})
    endif()
  endif()
endmacro()
bfslab_require(OpenMP g++ COMPONENTS CXX)
bfslab_require(Threads libc6-dev)
bfslab_require(Boost libboost-dev 1.74)
bfslab_require(fmt libfmt-dev 9.1)
bfslab_require(nlohmann_json nlohmann-json3-dev 3.11)
bfslab_require(CLI11 libcli11-dev 2.1)
bfslab_require(OpenSSL libssl-dev 1.1 COMPONENTS Crypto)
bfslab_require(ZLIB zlib1g-dev 1.2.4)
if(BFSLAB_MISSING)
  list(JOIN BFSLAB_MISSING " " _missing)
  set(_missing "bfslab: required packages are missing, or older than docs/install.md says. On Debian and Ubuntu:\n"
               "  apt-get install ${_missing}\n"
               "or run scripts/setup.sh, which installs all that a build needs.")
  list(LENGTH BFSLAB_MISSING _named)
  list(LENGTH BFSLAB_TO_FETCH _known)
  if(NOT BFSLAB_FETCH OR NOT _named EQUAL _known)
    message(FATAL_ERROR ${_missing})
  endif()
  message(STATUS ${_missing} " They are now built from their sources (docs/install.md).")
  foreach(_package IN LISTS BFSLAB_TO_FETCH)
    cmake_language(CALL bfslab_fetch_${_package})
  endforeach()
endif()

# Flags of all our own host code.
add_library(bfslab_flags INTERFACE)
target_include_directories(bfslab_flags INTERFACE "${PROJECT_SOURCE_DIR}")
set(BFSLAB_HOST_FLAGS -Wall -Wextra)
if(BFSLAB_WERROR)
  list(APPEND BFSLAB_HOST_FLAGS -Werror)
endif()
if(BFSLAB_NATIVE)
  list(APPEND BFSLAB_HOST_FLAGS -march=native)
endif()
# std::string::insert and replace set off a false alarm (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  list(APPEND BFSLAB_HOST_FLAGS -Wno-restrict)
endif()
# Sanitizers see every object of a program or none, so these flags are global.
if(BFSLAB_SANITIZE)
  if(BFSLAB_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    message(WARNING "bfslab: GNU's OpenMP run-time is not instrumented, so ThreadSanitizer reports "
                    "false races at its barriers. Use the tsan preset, which takes clang++.")
  endif()
  add_compile_options(-fsanitize=${BFSLAB_SANITIZE} -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${BFSLAB_SANITIZE})
  # GCC's flow analysis is misled by the checks that a sanitizer puts in.
  list(APPEND BFSLAB_HOST_FLAGS -Wno-maybe-uninitialized)
  if(BFSLAB_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
endif()
# So are those of libFuzzer, but for its main function: tests/fuzz links that.
if(BFSLAB_FUZZ)
  include(BfslabFuzz)
endif()
# nvcc does not know these flags.
target_compile_options(bfslab_flags INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${BFSLAB_HOST_FLAGS}>")
target_link_libraries(bfslab_flags INTERFACE OpenMP::OpenMP_CXX Threads::Threads)


# SPDX-License-Identifier: Apache-2.0
# build_info.cpp: commit, compiler and options, looked up at build time and rewritten only when they changed. Included
# at configure time it adds the rule; run with `cmake -P` it is the rule.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(BFSLAB_COMMIT "" CACHE STRING "The commit of a copied tree that has no .git")

  # Sets `target` to what the compiler takes -march=native for, as "znver3", and `signature` to this machine's CPU, as
  # harness/observe/processor.hpp has it. Both are empty where code is compiled for no CPU in particular.
  function(bfslab_native_target target signature)
    set(${target} "" PARENT_SCOPE)
    set(${signature} "" PARENT_SCOPE)
    if(NOT BFSLAB_NATIVE)
      return()
    endif()
    set(ask "${CMAKE_CXX_COMPILER}" -march=native)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      execute_process(COMMAND ${ask} -Q --help=target OUTPUT_VARIABLE told ERROR_QUIET)
      set(pattern "-march=[ \t]+([^ \t\n]+)")
    else()
      execute_process(COMMAND ${ask} -E -x c++ /dev/null "-###" ERROR_VARIABLE told OUTPUT_QUIET)
      set(pattern "\"-target-cpu\" \"([^\"]+)\"")
    endif()
    if(told MATCHES "${pattern}")
      set(${target} "${CMAKE_MATCH_1}" PARENT_SCOPE)
    endif()
    set(found "")
    if(EXISTS /proc/cpuinfo)
      foreach(key IN ITEMS "vendor_id" "cpu family" "model" "CPU implementer" "CPU part")
        file(STRINGS /proc/cpuinfo lines LIMIT_COUNT 1 REGEX "^${key}[ \t]*:")
        if(lines MATCHES ":[ \t]*(.*[^ \t])")
          list(APPEND found "${CMAKE_MATCH_1}")
        endif()
      endforeach()
    endif()
    list(JOIN found " " found)
    set(${signature} "${found}" PARENT_SCOPE)
  endfunction()

  function(bfslab_add_build_info target)
    set(settings "${CMAKE_BINARY_DIR}/build_info/settings.cmake")
    set(generated "${CMAKE_BINARY_DIR}/build_info/build_info.cpp")
    string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
    string(JOIN " " flags ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}} ${BFSLAB_HOST_FLAGS} -std=c++20)
    bfslab_native_target(native_target native_cpu)
    get_cmake_property(names CACHE_VARIABLES)
    list(FILTER names INCLUDE REGEX "^BFSLAB_(CUDA_ARCHITECTURES|[A-Z]+)$")
    set(options "")
    foreach(name IN LISTS names)
      get_property(kind CACHE ${name} PROPERTY TYPE)
      if(kind MATCHES "^(BOOL|STRING)$")  # not the locations of tools
        string(REPLACE ";" "," value "${${name}}")
        string(APPEND options "${name}=${value};")
      endif()
    endforeach()
    set(cuda "")
    if(BFSLAB_CUDA_ENABLED)  # the run-time library is linked in, so the toolkit's version is its own
      set(cuda "${CMAKE_CUDA_COMPILER_VERSION}")
    endif()
    set(nvtx false)
    if(BFSLAB_NVTX_INCLUDE_DIR)
      set(nvtx true)
    endif()
    file(WRITE "${settings}.new" "set(BI_VERSION [==[${PROJECT_VERSION}]==])
set(BI_COMPILER [==[${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}]==])
set(BI_FLAGS [==[${flags}]==])
set(BI_NATIVE_TARGET [==[${native_target}]==])
set(BI_NATIVE_CPU [==[${native_cpu}]==])
set(BI_BUILD_TYPE [==[${CMAKE_BUILD_TYPE}]==])
set(BI_OPTIONS [==[${options}]==])
set(BI_CUDA [==[${cuda}]==])
set(BI_NVTX [==[${nvtx}]==])
set(BI_SOURCE [==[${PROJECT_SOURCE_DIR}]==])
set(BI_COMMIT [==[${BFSLAB_COMMIT}]==])
set(BI_OUTPUT [==[${generated}]==])
")
    configure_file("${settings}.new" "${settings}" COPYONLY)
    add_custom_target(bfslab_build_info
      COMMAND "${CMAKE_COMMAND}" "-DBI_SETTINGS=${settings}" -P "${PROJECT_SOURCE_DIR}/cmake/BuildInfo.cmake"
      BYPRODUCTS "${generated}" COMMENT "" VERBATIM)
    add_dependencies(${target} bfslab_build_info)
    target_sources(${target} PRIVATE "${generated}")
  endfunction()
  return()
endif()

include("${BI_SETTINGS}")
set(commit unknown)
set(dirty false)
find_program(git git)
if(BI_COMMIT)  # a copy of a checkout, without .git: the commit is given when it is copied
  set(commit "${BI_COMMIT}")
elseif(git AND EXISTS "${BI_SOURCE}/.git")
  # safe.directory: a checkout that another user owns (a container's mount) still has a commit.
  set(ask "${git}" -c "safe.directory=*" -C "${BI_SOURCE}")
  execute_process(COMMAND ${ask} rev-parse HEAD OUTPUT_VARIABLE head RESULT_VARIABLE failed
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT failed)
    set(commit "${head}")
    # No program is made of what is recorded and drawn.
    execute_process(COMMAND ${ask} --no-optional-locks status --porcelain --untracked-files=no
      -- ":(top)" ":(top,exclude)results" OUTPUT_VARIABLE changes ERROR_QUIET)
    if(NOT changes STREQUAL "")
      set(dirty true)
    endif()
  endif()
endif()

set(text "// Written by cmake/BuildInfo.cmake.
#include \"harness/record/build_info.hpp\"

namespace bfslab {

const BuildInfo& build_info() {
  static constexpr BuildInfo info = {
      R\"==(${BI_VERSION})==\", \"${commit}\", ${dirty}, R\"==(${BI_COMPILER})==\",
      R\"==(${BI_FLAGS})==\",
      R\"==(${BI_NATIVE_TARGET})==\", R\"==(${BI_NATIVE_CPU})==\", \"${BI_BUILD_TYPE}\", R\"==(${BI_OPTIONS})==\", \"${BI_CUDA}\", ${BI_NVTX}};
  return info;
}

}  // namespace bfslab
")
set(old "")
if(EXISTS "${BI_OUTPUT}")
  file(READ "${BI_OUTPUT}" old)
endif()
if(NOT old STREQUAL text)
  file(WRITE "${BI_OUTPUT}" "${text}")
endif()

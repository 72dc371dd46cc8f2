# SPDX-License-Identifier: Apache-2.0
# Headers that most sources share, precompiled once: nlohmann's JSON or GoogleTest is a third of the
# time that a source takes. Only for g++, and not with a compiler cache, which keeps nothing that
# uses them, unless the environment has BFSLAB_PRECOMPILE=ON, as that of .ci/run, which finds
# nothing in a cache. Sources still include what they use; clang-tidy checks that. For the same
# reasons texts (harness/), what makes and reads graphs (datasets/) and tests are then compiled eight
# sources at once, and sixteen where the environment has it, for builds that nobody changes a line of.
set(precompile OFF)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND
   ("$ENV{BFSLAB_PRECOMPILE}" OR NOT CMAKE_CXX_COMPILER_LAUNCHER))
  set(precompile ON)
endif()
if("$ENV{BFSLAB_PRECOMPILE}" AND NOT DEFINED CMAKE_UNITY_BUILD_BATCH_SIZE)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 16 CACHE STRING "Sources that are compiled at once")
endif()
set(together OFF)
if("$ENV{BFSLAB_PRECOMPILE}")
  set(together ON)
endif()
option(BFSLAB_CUDA_TOGETHER "Compile the CUDA sources of a folder as one" ${together})
option(BFSLAB_PRECOMPILE "Precompile JSON's and GoogleTest's headers; compile texts, graphs' files and tests eight sources at once"
  ${precompile})

# bfslab_precompile(NAME PACKAGES target... HEADERS "<header>"... FOR target...): the targets, which
# are compiled with the same options, take the headers as a library NAME has them.
function(bfslab_precompile name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "PACKAGES;HEADERS;FOR")
  if(NOT BFSLAB_PRECOMPILE)
    return()
  endif()
  file(GENERATE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp" CONTENT "")
  add_library(${name} OBJECT "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  target_link_libraries(${name} PRIVATE bfslab_flags ${arg_PACKAGES})
  target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
  # g++ forgets which precompiled code belongs to system headers, and its flow analysis then warns
  # about std::string where it is otherwise silent. Builds without precompiled headers check our code.
  set(quiet "")
  foreach(warning array-bounds dangling-pointer free-nonheap-object maybe-uninitialized nonnull
                  stringop-overflow stringop-overread use-after-free)
    list(APPEND quiet "$<$<COMPILE_LANGUAGE:CXX>:-Wno-${warning}>")
  endforeach()
  foreach(target IN LISTS arg_FOR)
    target_precompile_headers(${target} REUSE_FROM ${name})
    # A source whose options differ reads the headers as text.
    target_compile_options(${target} PRIVATE ${quiet})
    set_target_properties(${target} PROPERTIES PCH_WARN_INVALID OFF)
  endforeach()
endfunction()

# bfslab_cuda_together(target...): the CUDA sources that a target has in one folder become one source,
# which includes them. Without optimisation most of the time that nvcc takes is spent on headers, which
# it reads once per source and architecture. The compiler's full optimisation takes longer than that,
# and then separate sources keep more cores busy.
function(bfslab_cuda_together)
  if(NOT BFSLAB_CUDA_TOGETHER)
    return()
  endif()
  foreach(target IN LISTS ARGN)
    get_target_property(sources ${target} SOURCES)
    get_target_property(base ${target} SOURCE_DIR)
    set(kept ${sources})
    list(FILTER kept EXCLUDE REGEX "\\.cu$")
    list(FILTER sources INCLUDE REGEX "\\.cu$")
    set(folders "")
    foreach(source IN LISTS sources)
      get_filename_component(source "${source}" ABSOLUTE BASE_DIR "${base}")
      get_filename_component(folder "${source}" DIRECTORY)
      string(MAKE_C_IDENTIFIER "${folder}" folder)
      list(APPEND folders ${folder})
      string(APPEND text_${folder} "#include \"${source}\"\n")
    endforeach()
    list(REMOVE_DUPLICATES folders)
    set(number 0)
    foreach(folder IN LISTS folders)
      set(united "${CMAKE_CURRENT_BINARY_DIR}/together/${target}_${number}.cu")
      file(CONFIGURE OUTPUT "${united}" CONTENT "${text_${folder}}" @ONLY)
      list(APPEND kept "${united}")
      math(EXPR number "${number} + 1")
    endforeach()
    set_property(TARGET ${target} PROPERTY SOURCES ${kept})
  endforeach()
endfunction()

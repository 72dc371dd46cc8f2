# SPDX-License-Identifier: Apache-2.0
# Optional parts: CUDA, MPI, NCCL, NVSHMEM, download, archives, zstd, xxhash, tests. Each is AUTO
# (used if it is found), ON (an error that says what to install if it is not) or OFF. Sets
# BFSLAB_<PART>_ENABLED, and prints one line per part: what was found, or what its absence costs.

# An installed program finds them where they were found now.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)

# bfslab_option(PART doc): the cache variable BFSLAB_PART and its legal values.
function(bfslab_option part doc)
  set(BFSLAB_${part} AUTO CACHE STRING "${doc}: AUTO, ON or OFF")
  set_property(CACHE BFSLAB_${part} PROPERTY STRINGS AUTO ON OFF)
  string(TOUPPER "${BFSLAB_${part}}" value)
  if(NOT value MATCHES "^(AUTO|ON|OFF|TRUE|FALSE|1|0|YES|NO)$")
    message(FATAL_ERROR "bfslab: BFSLAB_${part} is \"${BFSLAB_${part}}\"; expected AUTO, ON or OFF")
  endif()
endfunction()

# bfslab_decide(PART found "what was found" "what its absence costs" "how to get it")
# ON and not found stops the configuration.
macro(bfslab_decide part found detail cost install)
  string(TOUPPER "${BFSLAB_${part}}" _bfslab_wanted)
  if(_bfslab_wanted STREQUAL "AUTO")
    set(BFSLAB_${part}_ENABLED ${found})
  elseif(BFSLAB_${part})
    if(NOT ${found})
      message(FATAL_ERROR "bfslab: BFSLAB_${part}=ON, but it was not found (${detail}).\n"
                          "  ${install}\n"
                          "Or leave it out with -DBFSLAB_${part}=OFF; that costs: ${cost}.")
    endif()
    set(BFSLAB_${part}_ENABLED TRUE)
  else()
    set(BFSLAB_${part}_ENABLED FALSE)
  endif()
  if(BFSLAB_${part}_ENABLED)
    bfslab_report(${part} "yes" "${detail}")
  elseif(_bfslab_wanted STREQUAL "AUTO")
    bfslab_report(${part} "no" "${detail}: ${cost}")
  else()
    bfslab_report(${part} "off" "switched off: ${cost}")
  endif()
endmacro()

macro(bfslab_report part state text)
  string(TOLOWER "${part}" _bfslab_label)
  string(SUBSTRING "${_bfslab_label}          " 0 10 _bfslab_label)
  string(SUBSTRING "${state}    " 0 4 _bfslab_state)
  # A global property: parts are reported from other folders too.
  set_property(GLOBAL APPEND PROPERTY BFSLAB_SUMMARY "  ${_bfslab_label}${_bfslab_state}${text}")
endmacro()

function(bfslab_print_summary)
  message(STATUS "bfslab ${PROJECT_VERSION}, ${CMAKE_BUILD_TYPE}, "
                 "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}. Optional parts:")
  get_property(lines GLOBAL PROPERTY BFSLAB_SUMMARY)
  foreach(line IN LISTS lines)
    message(STATUS "${line}")
  endforeach()
endfunction()

# bfslab_fetch_part(PART NAME): fetches what PART needs where that was not found, if all is to be
# fetched, and sets _found and _detail.
macro(bfslab_fetch_part part name)
  if(NOT _found AND BFSLAB_FETCH STREQUAL "ON" AND (BFSLAB_${part} STREQUAL "AUTO" OR BFSLAB_${part}))
    cmake_language(CALL bfslab_fetch_${name})
    set(_found TRUE)
    set(_detail "${name} from its sources")
  endif()
endmacro()

# --- CUDA: sources are in kernels/cuda and are compiled if nvcc is available.
bfslab_option(CUDA "GPU engines, compiled by nvcc")
find_program(BFSLAB_NVCC_PROGRAM nvcc
  HINTS "$ENV{CUDACXX}" "$ENV{CUDA_HOME}/bin" "$ENV{CUDA_PATH}/bin" /usr/local/cuda/bin)
mark_as_advanced(BFSLAB_NVCC_PROGRAM)
set(_found FALSE)
set(_detail "no nvcc")
set(_cost "GPU engines are left out")
if(BFSLAB_NVCC_PROGRAM)
  execute_process(COMMAND "${BFSLAB_NVCC_PROGRAM}" --version OUTPUT_VARIABLE _nvcc ERROR_QUIET)
  string(REGEX MATCH "release ([0-9.]+)" _nvcc "${_nvcc}")
  set(_found TRUE)
  set(_detail "nvcc ${CMAKE_MATCH_1} (${BFSLAB_NVCC_PROGRAM})")
endif()
if(EXISTS "${PROJECT_SOURCE_DIR}/kernels/cuda/CMakeLists.txt")
  bfslab_decide(CUDA ${_found} "${_detail}" "${_cost}"
    "Install NVIDIA's CUDA toolkit (13.0 or newer), or set CUDACXX to its nvcc.")
else()
  # Nothing to compile: the compiler is reported, and the language is not enabled.
  bfslab_decide(CUDA ${_found} "${_detail}. This tree has no CUDA sources: nvcc is not used"
    "${_cost}" "Install NVIDIA's CUDA toolkit (13.0 or newer), or set CUDACXX to its nvcc.")
  set(BFSLAB_CUDA_ENABLED FALSE)
endif()
if(BFSLAB_CUDA_ENABLED)
  # Architectures as numbers, several joined by semicolons: those of this machine's GPUs, which is
  # also what `native` means, else Hopper's.
  set(BFSLAB_CUDA_ARCHITECTURES "" CACHE STRING "CUDA architectures to compile for: native, or as 80;90")
  if(NOT BFSLAB_CUDA_ARCHITECTURES OR BFSLAB_CUDA_ARCHITECTURES STREQUAL "native")
    execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
      OUTPUT_VARIABLE _capabilities RESULT_VARIABLE _status ERROR_QUIET)
    string(REGEX MATCHALL "[0-9]+\\.[0-9]" _architectures "${_capabilities}")
    list(TRANSFORM _architectures REPLACE "\\." "")
    list(REMOVE_DUPLICATES _architectures)
    if(NOT _status EQUAL 0 OR NOT _architectures)
      if(BFSLAB_CUDA_ARCHITECTURES)
        message(FATAL_ERROR "bfslab: BFSLAB_CUDA_ARCHITECTURES=native, but nvidia-smi shows no GPU here.\n"
                            "  Name the architectures: -DBFSLAB_CUDA_ARCHITECTURES='80;90'")
      endif()
      set(_architectures 90)
    endif()
    set(BFSLAB_CUDA_ARCHITECTURES "${_architectures}" CACHE STRING "" FORCE)
  endif()
  foreach(_architecture IN LISTS BFSLAB_CUDA_ARCHITECTURES)
    if(NOT _architecture MATCHES "^[0-9]+[af]?(-real|-virtual)?$")
      message(FATAL_ERROR "bfslab: BFSLAB_CUDA_ARCHITECTURES has \"${_architecture}\"; expected native, "
                          "or numbers joined by semicolons, as 80;90")
    endif()
  endforeach()
  set(CMAKE_CUDA_COMPILER "${BFSLAB_NVCC_PROGRAM}")
  if(BFSLAB_CCACHE_PROGRAM AND NOT CMAKE_CUDA_COMPILER_LAUNCHER)
    set(CMAKE_CUDA_COMPILER_LAUNCHER "${BFSLAB_CCACHE_PROGRAM}")
  endif()
  set(CMAKE_CUDA_ARCHITECTURES "${BFSLAB_CUDA_ARCHITECTURES}")
  enable_language(CUDA)
  # CMake 3.25.1, as in Debian 12, does not know that nvcc has had C++20 since 12.0.
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
  endif()
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
endif()

# --- MPI, NCCL and NVSHMEM: for engines over several GPUs or machines (kernels/distributed).
set(_no_distributed "")
if(NOT EXISTS "${PROJECT_SOURCE_DIR}/kernels/distributed/CMakeLists.txt")
  set(_no_distributed ". This tree has no distributed engines: it is not used")
endif()
bfslab_option(MPI "Engines over several machines")
set(_found FALSE)
set(_detail "no MPI")
string(TOUPPER "${BFSLAB_MPI}" _wanted)
find_program(BFSLAB_MPICXX_PROGRAM NAMES mpicxx mpic++ HINTS "$ENV{MPI_HOME}/bin")
mark_as_advanced(BFSLAB_MPICXX_PROGRAM)
if(BFSLAB_MPICXX_PROGRAM AND (_wanted STREQUAL "AUTO" OR BFSLAB_MPI))
  find_package(MPI QUIET COMPONENTS CXX)
  if(MPI_CXX_FOUND)
    set(_found TRUE)
    set(_detail "MPI ${MPI_CXX_VERSION}${_no_distributed}")
  endif()
endif()
bfslab_decide(MPI ${_found} "${_detail}" "engines over several machines are left out"
  "On Debian and Ubuntu: apt-get install libopenmpi-dev openmpi-bin")
if(_no_distributed)
  set(BFSLAB_MPI_ENABLED FALSE)
endif()

bfslab_option(NCCL "Engines over several GPUs")
find_path(BFSLAB_NCCL_INCLUDE nccl.h
  HINTS "$ENV{NCCL_HOME}/include" "$ENV{CUDA_HOME}/include" /usr/local/cuda/include)
find_library(BFSLAB_NCCL_LIBRARY nccl
  HINTS "$ENV{NCCL_HOME}/lib" "$ENV{CUDA_HOME}/lib64" /usr/local/cuda/lib64)
mark_as_advanced(BFSLAB_NCCL_INCLUDE BFSLAB_NCCL_LIBRARY)
set(_found FALSE)
set(_detail "no nccl.h and libnccl")
if(BFSLAB_NCCL_INCLUDE AND BFSLAB_NCCL_LIBRARY)
  file(STRINGS "${BFSLAB_NCCL_INCLUDE}/nccl.h" _nccl REGEX "define NCCL_(MAJOR|MINOR|PATCH) ")
  string(REGEX REPLACE "[^0-9;]" "" _nccl "${_nccl}")
  string(REPLACE ";" "." _nccl "${_nccl}")
  set(_found TRUE)
  set(_detail "NCCL ${_nccl}${_no_distributed}")
endif()
bfslab_decide(NCCL ${_found} "${_detail}" "engines over several GPUs are left out"
  "Install NVIDIA's libnccl-dev, or set NCCL_HOME.")
if(_no_distributed)
  set(BFSLAB_NCCL_ENABLED FALSE)
endif()

bfslab_option(NVSHMEM "Kernels of GPUs that NVLink joins, on several machines, meet")
# Where Python's package of it lies.
set(_nvshmem "")
foreach(_python "${PROJECT_SOURCE_DIR}/.venv/bin/python3" python3)
  if(BFSLAB_CUDA_ENABLED AND NOT BFSLAB_NVSHMEM_LIBRARY)
    execute_process(COMMAND "${_python}" -c "import nvidia.nvshmem as n; print(*n.__path__, sep=';')"
      OUTPUT_VARIABLE _there OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    list(APPEND _nvshmem ${_there})
  endif()
endforeach()
list(PREPEND _nvshmem "$ENV{NVSHMEM_HOME}" "$ENV{CUDA_HOME}" /usr/local/cuda)
find_path(BFSLAB_NVSHMEM_INCLUDE nvshmem_host.h HINTS ${_nvshmem} PATH_SUFFIXES include)
find_library(BFSLAB_NVSHMEM_LIBRARY NAMES nvshmem_host libnvshmem_host.so.3
  HINTS ${_nvshmem} PATH_SUFFIXES lib lib64)
mark_as_advanced(BFSLAB_NVSHMEM_INCLUDE BFSLAB_NVSHMEM_LIBRARY)
set(_found FALSE)
set(_detail "no nvshmem_host.h and libnvshmem_host")
if(NOT BFSLAB_CUDA_ENABLED)
  set(_detail "no CUDA")
elseif(BFSLAB_NVSHMEM_INCLUDE AND BFSLAB_NVSHMEM_LIBRARY)
  file(STRINGS "${BFSLAB_NVSHMEM_INCLUDE}/non_abi/nvshmem_version.h" _nvshmem
    REGEX "define NVSHMEM_VENDOR_(MAJOR|MINOR|PATCH)_VERSION ")
  string(REGEX REPLACE "[^0-9;]" "" _nvshmem "${_nvshmem}")
  string(REPLACE ";" "." _nvshmem "${_nvshmem}")
  set(_found TRUE)
  set(_detail "NVSHMEM ${_nvshmem}${_no_distributed}")
endif()
bfslab_decide(NVSHMEM ${_found} "${_detail}"
  "kernels of several machines' GPUs do not meet: their levels are launched by the hosts"
  "pip install nvidia-nvshmem-cu13, or set NVSHMEM_HOME.")
if(_no_distributed)
  set(BFSLAB_NVSHMEM_ENABLED FALSE)
endif()

# --- Download: `bfslab graph fetch` over the network.
bfslab_option(DOWNLOAD "`bfslab graph fetch` over the network, by libcurl")
set(_found FALSE)
set(_detail "no libcurl 7.85 or newer")
string(TOUPPER "${BFSLAB_DOWNLOAD}" _wanted)
if(_wanted STREQUAL "AUTO" OR BFSLAB_DOWNLOAD)
  find_package(CURL 7.85 QUIET)
  if(CURL_FOUND)
    set(_found TRUE)
    set(_detail "libcurl ${CURL_VERSION_STRING}")
  endif()
endif()
bfslab_fetch_part(DOWNLOAD CURL)
bfslab_decide(DOWNLOAD ${_found} "${_detail}"
  "`bfslab graph fetch` copies from --mirror DIR only"
  "On Debian and Ubuntu: apt-get install libcurl4-openssl-dev")

# --- Packed graph files: tar and bzip2 by libarchive, zstd by its own library.
bfslab_option(ARCHIVES "Graph files in bzip2 and tar, by libarchive")
set(_found FALSE)
set(_detail "no libarchive 3.4 or newer")
string(TOUPPER "${BFSLAB_ARCHIVES}" _wanted)
if(_wanted STREQUAL "AUTO" OR BFSLAB_ARCHIVES)
  find_package(LibArchive 3.4 QUIET)
  if(LibArchive_FOUND)
    set(_found TRUE)
    set(_detail "libarchive ${LibArchive_VERSION}")
  endif()
endif()
bfslab_fetch_part(ARCHIVES LibArchive)
bfslab_decide(ARCHIVES ${_found} "${_detail}" "graph files in bzip2 and tar are not read"
  "On Debian and Ubuntu: apt-get install libarchive-dev")

bfslab_option(ZSTD "Graph files in zstd, by libzstd")
find_path(BFSLAB_ZSTD_INCLUDE zstd.h)
find_library(BFSLAB_ZSTD_LIBRARY zstd)
mark_as_advanced(BFSLAB_ZSTD_INCLUDE BFSLAB_ZSTD_LIBRARY)
set(_found FALSE)
set(_detail "no zstd.h and libzstd")
if(BFSLAB_ZSTD_INCLUDE AND BFSLAB_ZSTD_LIBRARY)
  file(STRINGS "${BFSLAB_ZSTD_INCLUDE}/zstd.h" _zstd REGEX "define ZSTD_VERSION_(MAJOR|MINOR|RELEASE) ")
  string(REGEX REPLACE "[^0-9;]" "" _zstd "${_zstd}")
  string(REPLACE ";" "." _zstd "${_zstd}")
  set(_found TRUE)
  set(_detail "libzstd ${_zstd}")
endif()
bfslab_fetch_part(ZSTD ZSTD)
bfslab_decide(ZSTD ${_found} "${_detail}" "graph files in zstd are not read"
  "On Debian and Ubuntu: apt-get install libzstd-dev")

# --- Cached graphs, verified at memory speed.
bfslab_option(XXHASH "Cached graphs verified by XXH3")
find_path(BFSLAB_XXHASH_INCLUDE xxhash.h)
mark_as_advanced(BFSLAB_XXHASH_INCLUDE)
set(_found FALSE)
set(_detail "no xxhash.h")
if(BFSLAB_XXHASH_INCLUDE)
  file(STRINGS "${BFSLAB_XXHASH_INCLUDE}/xxhash.h" _xxhash
    REGEX "define XXH_VERSION_(MAJOR|MINOR|RELEASE) ")
  string(REGEX REPLACE "[^0-9;]" "" _xxhash "${_xxhash}")
  string(REPLACE ";" "." _xxhash "${_xxhash}")
  if(NOT _xxhash VERSION_LESS 0.8)
    set(_found TRUE)
    set(_detail "xxhash ${_xxhash}")
  endif()
endif()
bfslab_fetch_part(XXHASH XXHASH)
bfslab_decide(XXHASH ${_found} "${_detail}" "cached graphs are verified by SHA-256, which takes longer"
  "On Debian and Ubuntu: apt-get install libxxhash-dev")

# --- Tests.
bfslab_option(TESTS "The C++ tests")
set(_found FALSE)
set(_detail "no GoogleTest")
string(TOUPPER "${BFSLAB_TESTS}" _wanted)
if(_wanted STREQUAL "AUTO" OR BFSLAB_TESTS)
  find_package(GTest QUIET)
  if(GTest_FOUND)
    set(_found TRUE)
    set(_detail "GoogleTest ${GTest_VERSION}")
  endif()
endif()
bfslab_fetch_part(TESTS GTest)
bfslab_decide(TESTS ${_found} "${_detail}" "the C++ tests are not built"
  "On Debian and Ubuntu: apt-get install libgtest-dev libgmock-dev")

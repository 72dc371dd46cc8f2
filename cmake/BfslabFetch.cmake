# SPDX-License-Identifier: Apache-2.0
# Libraries that the system lacks, built from their own release archives (docs/install.md). Versions
# are pinned to those of Debian 12, and an archive whose hash differs is refused.
#   BFSLAB_FETCH=AUTO             the required libraries that are missing; ON: libcurl, libarchive,
#                                 zstd, xxhash and GoogleTest, too; OFF: an error says what to install
#   BFSLAB_SOURCES=DIR            archives are taken from here if they are there
#   FETCHCONTENT_SOURCE_DIR_NAME  an unpacked archive, in capitals: FMT, NLOHMANN_JSON, CLI11, BOOST,
#                                 ZLIB, OPENSSL, CURL, BZIP2, LIBARCHIVE, ZSTD, XXHASH, GTEST
include(FetchContent)
include(ExternalProject)
set(BFSLAB_FETCH AUTO CACHE STRING "Libraries that the system lacks: AUTO, ON or OFF")
set_property(CACHE BFSLAB_FETCH PROPERTY STRINGS AUTO ON OFF)
set(BFSLAB_SOURCES "" CACHE PATH "Folder with release archives of libraries that the system lacks")

# NAME|version|address|SHA-256. Read by tests/frontdoor/test_deployment.py, too.
set(BFSLAB_PINS
  "fmt|9.1.0|https://github.com/fmtlib/fmt/archive/9.1.0.tar.gz|5dea48d1fcddc3ec571ce2058e13910a0d4a6bab4cc09a809d8b1dd1c88ae6f2"
  "nlohmann_json|3.11.2|https://github.com/nlohmann/json/archive/v3.11.2.tar.gz|d69f9deb6a75e2580465c6c4c5111b89c4dc2fa94e3a85fcd2ffcd9a143d9273"
  "CLI11|2.1.2|https://github.com/CLIUtils/CLI11/archive/v2.1.2.tar.gz|26291377e892ba0e5b4972cdfd4a2ab3bf53af8dac1f4ea8fe0d1376b625c8cb"
  "Boost|1.74.0|https://archives.boost.io/release/1.74.0/source/boost_1_74_0.tar.gz|afff36d392885120bcac079148c177d1f6f7730ec3d47233aa51b0afa4db94a5"
  "ZLIB|1.2.13|https://github.com/madler/zlib/releases/download/v1.2.13/zlib-1.2.13.tar.gz|b3a24de97a8fdbc835b9833169501030b8977031bcb54b3b3ac13740f846ab30"
  "OpenSSL|3.0.20|https://github.com/openssl/openssl/releases/download/openssl-3.0.20/openssl-3.0.20.tar.gz|c80a01dfc70ece4dc21168932c37739042d404d46ccc81a5986dd75314ecda6f"
  "CURL|7.88.1|https://github.com/curl/curl/releases/download/curl-7_88_1/curl-7.88.1.tar.gz|cdb38b72e36bc5d33d5b8810f8018ece1baa29a8f215b4495e495ded82bbf3c7"
  "BZip2|1.0.8|https://sourceware.org/pub/bzip2/bzip2-1.0.8.tar.gz|ab5a03176ee106d3f0fa90e381da478ddae405918153cca248e682cd0c4a2269"
  "LibArchive|3.6.2|https://github.com/libarchive/libarchive/releases/download/v3.6.2/libarchive-3.6.2.tar.xz|9e2c1b80d5fbe59b61308fdfab6c79b5021d7ff4ff2489fb12daf0a96a83551d"
  "ZSTD|1.5.4|https://github.com/facebook/zstd/releases/download/v1.5.4/zstd-1.5.4.tar.gz|0f470992aedad543126d06efab344dc5f3e171893810455787d38347343a4424"
  "XXHASH|0.8.1|https://github.com/Cyan4973/xxHash/archive/v0.8.1.tar.gz|3bb6b7d6f30c591dd65aaaff1c8b7a5b94d81687998ca9400082c739a690436c"
  "GTest|1.12.1|https://github.com/google/googletest/archive/release-1.12.1.tar.gz|81964fe578e9bd7c94dfdb09c8e4d6e6759e19967e397dbea48d1c10e45d0df2"
)

# bfslab_source(NAME VARIABLE...): unpacks NAME's archive into ${name}_SOURCE_DIR, lower case, and
# takes it in as a subproject if it says AS_SUBPROJECT.
macro(bfslab_source name)
  set(_pin ${BFSLAB_PINS})
  list(FILTER _pin INCLUDE REGEX "^${name}[|]")
  string(REPLACE "|" ";" _pin "${_pin}")
  list(GET _pin 1 _version)
  list(GET _pin 2 _address)
  list(GET _pin 3 _sum)
  string(TOLOWER "${name}" _lower)
  string(REGEX REPLACE ".*/" "" _file "${_address}")
  if(BFSLAB_SOURCES AND EXISTS "${BFSLAB_SOURCES}/${_lower}-${_version}.tar.gz")
    set(_address "${BFSLAB_SOURCES}/${_lower}-${_version}.tar.gz")
  elseif(BFSLAB_SOURCES AND EXISTS "${BFSLAB_SOURCES}/${_file}")
    set(_address "${BFSLAB_SOURCES}/${_file}")
  endif()
  set(_as SOURCE_SUBDIR no-cmake-here)
  if("${ARGV1}" STREQUAL "AS_SUBPROJECT")
    set(_as "")
  endif()
  message(STATUS "bfslab: ${name} ${_version} is built from its sources")
  if(POLICY CMP0135)
    cmake_policy(SET CMP0135 NEW)
  endif()
  FetchContent_Declare(${name} URL "${_address}" URL_HASH SHA256=${_sum} ${_as})
  FetchContent_MakeAvailable(${name})
  set(${name}_FOUND TRUE)
endmacro()

# Headers of libraries are not ours to warn about.
function(bfslab_system_headers)
  foreach(target IN LISTS ARGN)
    get_target_property(folders ${target} INTERFACE_INCLUDE_DIRECTORIES)
    set_target_properties(${target} PROPERTIES INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${folders}")
  endforeach()
endfunction()

# A static library of C sources, without the tests, programs and rules of its own build.
function(bfslab_c_library target folder)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "SOURCES;DEFINITIONS")
  add_library(${target} STATIC ${arg_SOURCES})
  target_compile_definitions(${target} PRIVATE ${arg_DEFINITIONS})
  target_include_directories(${target} SYSTEM PUBLIC "${folder}")
endfunction()

macro(bfslab_fetch_fmt)
  bfslab_source(fmt AS_SUBPROJECT)
  bfslab_system_headers(fmt)
endmacro()

macro(bfslab_fetch_nlohmann_json)
  set(JSON_BuildTests OFF CACHE INTERNAL "")
  set(JSON_SystemInclude ON CACHE INTERNAL "")
  bfslab_source(nlohmann_json AS_SUBPROJECT)
endmacro()

macro(bfslab_fetch_CLI11)
  bfslab_source(CLI11 AS_SUBPROJECT)
  bfslab_system_headers(CLI11)
endmacro()

# Headers only: of a release, or of a checkout with its modules.
macro(bfslab_fetch_Boost)
  bfslab_source(Boost)
  set(_folders "${boost_SOURCE_DIR}")
  if(NOT EXISTS "${boost_SOURCE_DIR}/boost/version.hpp")
    file(GLOB _folders "${boost_SOURCE_DIR}/libs/*/include" "${boost_SOURCE_DIR}/libs/numeric/*/include")
  endif()
  add_library(bfslab_boost INTERFACE)
  target_include_directories(bfslab_boost SYSTEM INTERFACE ${_folders})
  add_library(Boost::boost ALIAS bfslab_boost)
endmacro()

macro(bfslab_fetch_ZLIB)
  enable_language(C)
  bfslab_source(ZLIB)
  file(GLOB _sources "${zlib_SOURCE_DIR}/*.c")
  bfslab_c_library(bfslab_zlib "${zlib_SOURCE_DIR}" SOURCES ${_sources}
    DEFINITIONS HAVE_UNISTD_H HAVE_STDARG_H _LARGEFILE64_SOURCE=1)
  add_library(ZLIB::ZLIB ALIAS bfslab_zlib)
endmacro()

# bfslab_own_build(TARGET NAME LIBRARY OPTION...): builds the static library NAME by its own CMake
# project, with these options of it, into _deps/NAME-built, and makes TARGET of it.
function(bfslab_own_build target name library)
  string(TOLOWER "${name}" lower)
  set(built "${CMAKE_BINARY_DIR}/_deps/${lower}-built")
  file(MAKE_DIRECTORY "${built}/include")
  ExternalProject_Add(${target}_build
    SOURCE_DIR "${${lower}_SOURCE_DIR}"
    BINARY_DIR "${built}/build"
    CMAKE_ARGS "-DCMAKE_INSTALL_PREFIX=${built}" -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_BUILD_TYPE=Release
               "-DCMAKE_C_COMPILER=${CMAKE_C_COMPILER}" -DCMAKE_POSITION_INDEPENDENT_CODE=ON
               -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF ${ARGN}
    BUILD_BYPRODUCTS "${built}/lib/${library}" LOG_CONFIGURE ON LOG_BUILD ON LOG_INSTALL ON)
  add_library(${target} INTERFACE)
  target_include_directories(${target} SYSTEM INTERFACE "${built}/include")
  target_link_libraries(${target} INTERFACE "${built}/lib/${library}")
  add_dependencies(${target} ${target}_build)
endfunction()

# libcurl for http and https alone, beside the OpenSSL that was found or is built here.
macro(bfslab_fetch_CURL)
  enable_language(C)
  bfslab_source(CURL)
  if(TARGET bfslab_openssl)
    set(_ssl "${CMAKE_BINARY_DIR}/_deps/openssl-crypto/libssl.a")
    set(_crypto "${CMAKE_BINARY_DIR}/_deps/openssl-crypto/libcrypto.a")
    set(_headers "${CMAKE_BINARY_DIR}/_deps/openssl-crypto/include")
    set(_flags "-DCMAKE_C_FLAGS=-I${openssl_SOURCE_DIR}/include")
  else()
    find_package(OpenSSL REQUIRED COMPONENTS Crypto SSL)
    set(_ssl "${OPENSSL_SSL_LIBRARY}")
    set(_crypto "${OPENSSL_CRYPTO_LIBRARY}")
    set(_headers "${OPENSSL_INCLUDE_DIR}")
    set(_flags "")
  endif()
  bfslab_own_build(bfslab_curl CURL libcurl.a
    -DBUILD_CURL_EXE=OFF -DHTTP_ONLY=ON -DCURL_USE_OPENSSL=ON -DCURL_ZLIB=OFF -DCURL_USE_LIBSSH2=OFF
    -DCURL_USE_LIBPSL=OFF -DUSE_LIBIDN2=OFF -DUSE_NGHTTP2=OFF -DENABLE_MANUAL=OFF
    "-DOPENSSL_SSL_LIBRARY=${_ssl}" "-DOPENSSL_CRYPTO_LIBRARY=${_crypto}"
    "-DOPENSSL_INCLUDE_DIR=${_headers}" ${_flags})
  if(TARGET bfslab_openssl)
    add_dependencies(bfslab_curl_build bfslab_openssl)
  endif()
  target_compile_definitions(bfslab_curl INTERFACE CURL_STATICLIB)
  target_link_libraries(bfslab_curl INTERFACE "${_ssl}" OpenSSL::Crypto)
  add_library(CURL::libcurl ALIAS bfslab_curl)
endmacro()

macro(bfslab_fetch_BZip2)
  enable_language(C)
  bfslab_source(BZip2)
  set(_sources blocksort.c bzlib.c compress.c crctable.c decompress.c huffman.c randtable.c)
  list(TRANSFORM _sources PREPEND "${bzip2_SOURCE_DIR}/")
  bfslab_c_library(bfslab_bzip2 "${bzip2_SOURCE_DIR}" SOURCES ${_sources}
    DEFINITIONS _FILE_OFFSET_BITS=64)
  # libarchive's own build links it into a shared library, too.
  set_target_properties(bfslab_bzip2 PROPERTIES POSITION_INDEPENDENT_CODE ON)
endmacro()

# For bzip2 and tar alone: what else a graph is packed in, we read ourselves.
macro(bfslab_fetch_LibArchive)
  bfslab_fetch_BZip2()
  bfslab_source(LibArchive)
  set(_off "")
  foreach(_part IN ITEMS TEST TAR CPIO CAT OPENSSL NETTLE MBEDTLS LIBB2 LZ4 LZO LZMA ZSTD ZLIB LIBXML2
          EXPAT PCREPOSIX PCRE2POSIX LibGCC CNG XATTR ACL ICONV UNZIP)
    list(APPEND _off -DENABLE_${_part}=OFF)
  endforeach()
  bfslab_own_build(bfslab_archive LibArchive libarchive.a ${_off}
    -DENABLE_WERROR=OFF -DENABLE_BZip2=ON "-DBZIP2_INCLUDE_DIR=${bzip2_SOURCE_DIR}"
    "-DBZIP2_LIBRARIES=$<TARGET_FILE:bfslab_bzip2>")
  add_dependencies(bfslab_archive_build bfslab_bzip2)
  target_link_libraries(bfslab_archive INTERFACE bfslab_bzip2)
  add_library(LibArchive::LibArchive ALIAS bfslab_archive)
endmacro()

# libcrypto, and libssl for libcurl, by OpenSSL's own build, which needs perl and takes minutes.
macro(bfslab_fetch_OpenSSL)
  find_package(Perl REQUIRED)
  bfslab_source(OpenSSL)
  set(_build "${CMAKE_BINARY_DIR}/_deps/openssl-crypto")
  file(MAKE_DIRECTORY "${_build}/include")
  ExternalProject_Add(bfslab_openssl
    SOURCE_DIR "${openssl_SOURCE_DIR}"
    BINARY_DIR "${_build}"
    CONFIGURE_COMMAND "${PERL_EXECUTABLE}" <SOURCE_DIR>/Configure no-shared no-tests no-dso no-engine
                      no-zlib no-legacy
    BUILD_COMMAND make build_generated
    COMMAND make -j${BFSLAB_OPENSSL_JOBS} libcrypto.a libssl.a
    INSTALL_COMMAND "" BUILD_BYPRODUCTS "${_build}/libcrypto.a" "${_build}/libssl.a" LOG_CONFIGURE ON LOG_BUILD ON)
  add_library(bfslab_crypto INTERFACE)
  target_include_directories(bfslab_crypto SYSTEM INTERFACE
    "${_build}/include" "${openssl_SOURCE_DIR}/include")
  target_link_libraries(bfslab_crypto INTERFACE "${_build}/libcrypto.a" Threads::Threads ${CMAKE_DL_LIBS})
  add_dependencies(bfslab_crypto bfslab_openssl)
  add_library(OpenSSL::Crypto ALIAS bfslab_crypto)
endmacro()
cmake_host_system_information(RESULT BFSLAB_OPENSSL_JOBS QUERY NUMBER_OF_LOGICAL_CORES)

macro(bfslab_fetch_ZSTD)
  enable_language(C)
  bfslab_source(ZSTD)
  file(GLOB _sources "${zstd_SOURCE_DIR}/lib/common/*.c" "${zstd_SOURCE_DIR}/lib/compress/*.c"
       "${zstd_SOURCE_DIR}/lib/decompress/*.c")
  bfslab_c_library(bfslab_zstd "${zstd_SOURCE_DIR}/lib" SOURCES ${_sources}
    DEFINITIONS ZSTD_DISABLE_ASM XXH_NAMESPACE=ZSTD_)
  set(BFSLAB_ZSTD_INCLUDE "${zstd_SOURCE_DIR}/lib")
  set(BFSLAB_ZSTD_LIBRARY bfslab_zstd)
endmacro()

macro(bfslab_fetch_XXHASH)
  bfslab_source(XXHASH)
  set(BFSLAB_XXHASH_INCLUDE "${xxhash_SOURCE_DIR}")
endmacro()

macro(bfslab_fetch_GTest)
  set(INSTALL_GTEST OFF CACHE INTERNAL "")
  bfslab_source(GTest AS_SUBPROJECT)
  bfslab_system_headers(gtest gmock gtest_main gmock_main)
endmacro()

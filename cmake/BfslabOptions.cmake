# Options, compiler flags and packages. Required: OpenMP, Boost, fmt, nlohmann_json, CLI11, OpenSSL,
# zlib. Optional parts are AUTO: found or not, never an error unless asked for with ON.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

option(BFSLAB_TESTS "Build the tests" ON)
option(BFSLAB_NATIVE "Compile for this machine's own instruction set" ON)
option(BFSLAB_WERROR "Treat warnings in our host code as errors" ON)

find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(Boost 1.74 REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(ZLIB REQUIRED)
find_package(Threads REQUIRED)

# Flags of all our own host code.
add_library(bfslab_flags INTERFACE)
target_include_directories(bfslab_flags INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(bfslab_flags INTERFACE -Wall -Wextra)
if(BFSLAB_WERROR)
  target_compile_options(bfslab_flags INTERFACE -Werror)
endif()
if(BFSLAB_NATIVE)
  target_compile_options(bfslab_flags INTERFACE -march=native)
endif()
target_link_libraries(bfslab_flags INTERFACE OpenMP::OpenMP_CXX Threads::Threads)

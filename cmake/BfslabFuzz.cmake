# SPDX-License-Identifier: Apache-2.0
# Instruments all code for libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer.
if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "bfslab: BFSLAB_FUZZ needs clang++, this is ${CMAKE_CXX_COMPILER}.\n"
                      "  cmake --preset fuzz, or make fuzz, takes it.")
endif()
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_FLAGS "-fsanitize=fuzzer")
check_cxx_source_compiles(
  "extern \"C\" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }"
  BFSLAB_LIBFUZZER)
unset(CMAKE_REQUIRED_FLAGS)
if(NOT BFSLAB_LIBFUZZER)
  message(FATAL_ERROR "bfslab: ${CMAKE_CXX_COMPILER} has no libFuzzer.\n"
                      "  On Debian and Ubuntu: apt-get install libclang-rt-dev, or scripts/setup.sh fuzz")
endif()
add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
                    -fno-omit-frame-pointer)
add_link_options(-fsanitize=address,undefined)
# Blocks of text this short, so that small inputs have many (datasets/read/text_lines.cpp).
add_compile_definitions(BFSLAB_TEXT_BLOCK=64)

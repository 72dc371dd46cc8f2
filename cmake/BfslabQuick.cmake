# SPDX-License-Identifier: Apache-2.0
# Options of host code whose speed nobody waits for (texts, JSON, tests): more optimisation would
# double its compilation time for nothing, and so would any under a sanitizer. No engine is compiled
# with these.
set(BFSLAB_QUICK_TO_COMPILE "$<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O1>")
if(BFSLAB_SANITIZE)
  set(BFSLAB_QUICK_TO_COMPILE "$<$<COMPILE_LANGUAGE:CXX>:-O0>")
endif()

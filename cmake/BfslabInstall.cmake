# SPDX-License-Identifier: Apache-2.0
# cmake --install: the program, its manual page and completions, and under share/bfslab what one reads
# beside it: specs with their schema and the papers' numbers, the catalogue, and the plots package.
include(GNUInstallDirs)
set(share "${CMAKE_INSTALL_DATADIR}/bfslab")
install(TARGETS bfslab RUNTIME)
add_custom_target(installed DEPENDS bfslab)
if(TARGET bfslab-exam)
  add_dependencies(installed bfslab-exam)
  install(TARGETS bfslab-exam RUNTIME DESTINATION libexec/bfslab OPTIONAL)
endif()
include(BfslabPackage)
install(DIRECTORY experiments DESTINATION "${share}" FILES_MATCHING PATTERN "*.json" PATTERN "*.csv")
install(FILES datasets/catalog.json DESTINATION "${share}/datasets")
install(DIRECTORY plots/ DESTINATION "${share}/bfslab"
  FILES_MATCHING PATTERN "*.py" PATTERN "*.json" PATTERN "page.*" PATTERN "__pycache__" EXCLUDE)
install(FILES README.md CHANGELOG.md CITATION.cff LICENSE THIRD-PARTY-NOTICES.md
  DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY docs/ DESTINATION "${CMAKE_INSTALL_DOCDIR}/docs" FILES_MATCHING PATTERN "*.md")

# Draws without pip: `bfslab-plots RESULTS`. A relative path, so that the tree can be moved.
file(RELATIVE_PATH to_share "/${CMAKE_INSTALL_BINDIR}" "/${share}")
file(CONFIGURE OUTPUT bfslab-plots @ONLY CONTENT [[#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
PYTHONPATH="$here/@to_share@${PYTHONPATH:+:$PYTHONPATH}" exec "${PYTHON:-python3}" -m bfslab "$@"
]])
install(PROGRAMS "${CMAKE_CURRENT_BINARY_DIR}/bfslab-plots" TYPE BIN)

# What the program itself writes, so that it cannot be stale. A program for another machine cannot be
# asked: these files are then left out.
if(NOT CMAKE_CROSSCOMPILING)
  set(generated "${CMAKE_CURRENT_BINARY_DIR}/generated")
  install(CODE "
    function(write file)
      file(MAKE_DIRECTORY \"${generated}\")
      execute_process(COMMAND \"$<TARGET_FILE:bfslab>\" \${ARGN} OUTPUT_FILE \"${generated}/\${file}\"
                      RESULT_VARIABLE failed)
      if(failed)
        message(FATAL_ERROR \"bfslab \${ARGN}: failed (\${failed})\")
      endif()
    endfunction()
    write(bfslab.1 manual)
    write(bfslab completion bash)
    write(_bfslab completion zsh)
    write(bfslab.fish completion fish)")
  install(FILES "${generated}/bfslab.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1")
  install(FILES "${generated}/bfslab" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
  install(FILES "${generated}/_bfslab" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
  install(FILES "${generated}/bfslab.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
endif()

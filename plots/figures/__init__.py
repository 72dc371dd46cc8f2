# SPDX-License-Identifier: Apache-2.0
"""One module per figure; a spec's `figure` names it.

A module has `draw(experiments) -> list[Drawing]` and, where it can show several machines in one
figure, `COMBINES_MACHINES = True`; otherwise it is called once for each machine.
"""

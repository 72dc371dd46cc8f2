# SPDX-License-Identifier: Apache-2.0
"""One module per figure; a spec's `figure` names it.

A module has `draw(experiments) -> list[Drawing]` and, where it can show several machines in one
figure, `COMBINES_MACHINES = True`; otherwise it is called once for each machine. It may have
`STATISTIC`, a few words with the unit, which stand below drawings that have none of their own.

It may have `finding(drawing, experiments) -> str`: what one of the drawings of `draw(experiments)`
shows, in whole sentences, computed from `drawing.numbers`, so that it is of what is drawn; the
first one makes sense alone. A module that draws several kinds distinguishes them by `drawing.name`.
It returns "" where the rows show nothing, for example because there are none. The report has it
above the figure and as the image's alternative text.
"""

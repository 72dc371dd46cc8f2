# SPDX-License-Identifier: Apache-2.0
"""The steps of scripts/gpu_test.py: what is tested, the plan, processes, tests, sanitizers and the
record."""

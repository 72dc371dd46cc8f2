"""No test uses the network: a graph that is not here stays away, whatever a test names."""

import os

os.environ.setdefault("BFSLAB_OFFLINE", "1")

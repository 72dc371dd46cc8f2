// The flagship engine: direction-optimising BFS on the CPU.
#include "kernels/engine.hpp"

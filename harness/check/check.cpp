#include "harness/check/check.hpp"

#include "harness/spec/spec.hpp"

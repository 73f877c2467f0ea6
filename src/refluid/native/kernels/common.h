// What all kernels share. They take plain memory: no header of torch or Python is needed, so that they build in seconds.
#pragma once

#include <cstdint>
#include <vector>

#define REFLUID_API extern "C" __attribute__((visibility("default")))

// What the checks of indices in a compiled model have found.
#pragma once

#include <string>

namespace refluid {

// What was wrong with the first index outside of its table since the last call, in this thread; empty if nothing was.
std::string TakeWrongIndex();

}  // namespace refluid

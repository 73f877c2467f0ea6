// How everything is refused: one exception with words.
#pragma once

#include <c10/util/Exception.h>

#include <exception>
#include <sstream>
#include <string>

#include "paddle_api.h"

namespace refluid {

template <typename... Parts>
[[noreturn]] void Refuse(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  throw paddle::platform::EnforceNotMet(text.str());
}

// Calls `work`; what torch throws in it becomes `what: its words`, without the frames of the stack.
template <typename Work>
auto Guarded(const std::string& what, Work&& work) {
  try {
    return work();
  } catch (const paddle::platform::EnforceNotMet&) {
    throw;
  } catch (const c10::Error& error) {
    Refuse(what, ": ", error.what_without_backtrace());
  } catch (const std::exception& error) {
    Refuse(what, ": ", error.what());
  }
}

template <typename Sizes>
std::string Show(const Sizes& sizes) {
  std::ostringstream text;
  text << "[";
  const char* comma = "";
  for (const auto& size : sizes) {
    text << comma << size;
    comma = ", ";
  }
  text << "]";
  return text.str();
}

}  // namespace refluid

"""to_cpp: saved models as packages that C++ runs without Python, and the library that runs them (refluid/cpp)."""

"""Where C++ programs find the headers of the prediction interface and the library to link with."""

from __future__ import annotations

from refluid.export.to_cpp.library import include_folder, library_folder


def get_include() -> str:
    """The folder of the C++ headers: `paddle_inference_api.h` and what it includes.

    Returns:
        The path, for a compiler's `-I`.

    Example:
        >>> import os
        >>> os.path.exists(os.path.join(paddle.sysconfig.get_include(), "paddle_inference_api.h"))
        True
    """
    return include_folder()


def get_lib() -> str:
    """The folder of the C++ library `libpaddle_fluid.so`.

    The first call builds it, with CMake and the C++ compiler, against the libtorch of the installed torch; that takes
    a minute. It is kept in the user's cache.

    Returns:
        The path, for a linker's `-L`; the option that links is `-lpaddle_fluid`.
    """
    return library_folder()

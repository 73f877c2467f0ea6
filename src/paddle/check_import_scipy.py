"""paddle.check_import_scipy: the module of check_import_scipy."""

from refluid.alpha.scipy_check import check_import_scipy as check_import_scipy

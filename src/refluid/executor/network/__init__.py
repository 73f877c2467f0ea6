"""Networks for prediction that run as one call of C++ code; see docs/decisions/0020."""

"""Where what Refluid did with a call differs from what Fluid 1.8.5 did."""

from __future__ import annotations

import math
from typing import Any

# What programs catch. Fluid also stumbles with an AttributeError, a KeyError, ...: nobody relies on which.
CAUGHT = ("EnforceNotMet", "EOFException", "NotImplementedError", "RuntimeError", "TypeError", "ValueError")


def differences(fluid: dict[str, Any], ours: dict[str, Any]) -> list[str]:
    """Nothing, if Refluid did as Fluid did. What ended Fluid by a signal or hung there may do anything here."""
    if "crashes" in fluid or "hangs" in fluid:
        return []
    if "raises" in fluid or "raises" in ours:
        found = _about_exceptions(fluid, ours)
        if found or fluid.get("at") == "build":
            return found
    found = []
    for part in ("declared", "plain", "ops", "values"):
        if part in fluid or part in ours:
            found += _unlike(part, fluid.get(part), ours.get(part))
    return found


def _about_exceptions(fluid: dict[str, Any], ours: dict[str, Any]) -> list[str]:
    if "raises" not in ours:
        return [f"Fluid raises {fluid['raises'][0]} at {fluid['at']}, Refluid does not"]
    if "raises" not in fluid:
        return [f"Refluid raises {ours['raises'][0]} at {ours['at']}, Fluid does not"]
    if fluid["at"] != ours["at"]:
        return [f"Fluid raises at {fluid['at']}, Refluid at {ours['at']}"]
    wanted = [kind for kind in fluid["raises"] if kind in CAUGHT][:1]
    if not wanted or wanted[0] in ours["raises"] or (wanted == ["RuntimeError"] and "EnforceNotMet" in ours["raises"]):
        return []
    return [f"Fluid raises {fluid['raises'][0]}, Refluid {ours['raises'][0]}"]


def _unlike(where: str, fluid: Any, ours: Any) -> list[str]:
    if isinstance(fluid, dict) and isinstance(ours, dict):
        keys = [*fluid, *(key for key in ours if key not in fluid)]
        return [line for key in keys for line in _unlike(f"{where}.{key}", fluid.get(key), ours.get(key))]
    if isinstance(fluid, list) and isinstance(ours, list) and len(fluid) == len(ours):
        return [line for i, (a, b) in enumerate(zip(fluid, ours)) for line in _unlike(f"{where}[{i}]", a, b)][:3]
    if isinstance(fluid, float) or isinstance(ours, float):
        same = _number(fluid) and _number(ours) and _close(fluid, ours)
    else:
        same = fluid == ours and type(fluid) is type(ours)
    return [] if same else [f"{where}: Fluid has {fluid!r:.80}, Refluid {ours!r:.80}"]


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _close(a: float, b: float) -> bool:
    return a == b or (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=2e-5, abs_tol=2e-6)

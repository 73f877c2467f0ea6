"""How long trainers and servers wait. How long they wait for one another at the start says FLAGS_rpc_deadline."""

from __future__ import annotations

import os

LEAVING = 3.0  # how long leaving may take


def lease() -> float:
    """How many seconds a trainer may be silent."""
    return float(os.environ.get("REFLUID_TRAINER_LEASE") or 8)


def gone() -> float:
    """How many seconds a trainer waits for a server that is gone."""
    return float(os.environ.get("REFLUID_SERVER_PATIENCE") or 40)


def beat() -> float:
    """How many seconds lie between two beats of a trainer."""
    return lease() / 8

"""Timeouts of trainers and servers. FLAGS_rpc_deadline is the one of the start."""

from __future__ import annotations

import os

LEAVING = 3.0  # how long leaving may take


def lease() -> float:
    """Seconds without a heartbeat after which a trainer is declared dead."""
    return float(os.environ.get("REFLUID_TRAINER_LEASE") or 8)


def gone() -> float:
    """How many seconds a trainer waits for a server that is gone."""
    return float(os.environ.get("REFLUID_SERVER_PATIENCE") or 40)


def beat() -> float:
    """Seconds between two heartbeats of a trainer."""
    return lease() / 8

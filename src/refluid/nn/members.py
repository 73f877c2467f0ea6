"""Members: the parameters or sublayers of a layer, by name."""

from __future__ import annotations

from collections import OrderedDict


class Members(OrderedDict):
    """Counts, over all layers, how often a member was replaced or removed.

    Whoever keeps something made from the members of a layer, as programs of declarative functions do, asks the count.
    """

    changes = 0

    def __setitem__(self, name: str, value: object) -> None:
        before = self.get(name)
        if before is not None and before is not value:
            Members.changes += 1
        super().__setitem__(name, value)

    def __delitem__(self, name: str) -> None:
        Members.changes += 1
        super().__delitem__(name)

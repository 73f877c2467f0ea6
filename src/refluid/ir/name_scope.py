"""NameScope: a tree of names, in which a name that comes again under one parent gets a number."""

from __future__ import annotations

from collections import defaultdict


class NameScope:
    """One name of the tree; `child` makes those below it.

    Example:
        >>> top = NameScope()
        >>> [top.child("block").name(), top.child("block").name()]
        ['block', 'block_1']
    """

    def __init__(self, name: str = "", parent: NameScope | None = None):
        self._name = name
        self._parent = parent
        self._children: defaultdict[str, list[NameScope]] = defaultdict(list)

    def child(self, prefix: str) -> NameScope:
        siblings = self._children[prefix]
        made = NameScope(f"{prefix}_{len(siblings)}" if siblings else prefix, self)
        siblings.append(made)
        return made

    def parent(self) -> NameScope | None:
        return self._parent

    def name(self) -> str:
        return self._name

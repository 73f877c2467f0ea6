"""Channel: a bounded queue between threads that either side can close, so that no thread waits for ever."""

import threading
from collections import deque
from typing import Any


class Channel:
    """Passes items from producer threads to consumers, at most `size` at a time (no limit when size is 0 or less)."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._items: deque[Any] = deque()
        self._closed = False
        # Reentrant: the garbage collector may close this channel in a thread that is inside put or get.
        lock = threading.RLock()
        self._filled = threading.Condition(lock)
        self._freed = threading.Condition(lock)

    def put(self, item: object) -> bool:
        """Wait for room and add the item; False if the channel was closed, so that the producer may end."""
        with self._freed:
            while not self._closed and 0 < self._size <= len(self._items):
                self._freed.wait()
            if self._closed:
                return False
            self._items.append(item)
            self._filled.notify()
            return True

    def get(self) -> Any:
        """Wait for an item; CLOSED if the channel was closed."""
        with self._filled:
            while not self._closed and not self._items:
                self._filled.wait()
            if self._closed:
                return CLOSED
            item = self._items.popleft()
            self._freed.notify()
            return item

    def __len__(self) -> int:
        return len(self._items)

    def close(self) -> None:
        """Drop what is waiting and wake all threads."""
        with self._filled:
            self._closed = True
            self._items.clear()
            self._filled.notify_all()
            self._freed.notify_all()


CLOSED = object()

"""ops: the operator library, one file per operator, loaded when one of its operators is first needed (index.py)."""

from refluid.core.memory import keep_freed_memory

keep_freed_memory()

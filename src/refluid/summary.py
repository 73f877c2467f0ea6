"""refluid.summary: what the layers of a network give and cost."""

from refluid.diagnostics.summary import Summary as Summary, summary as summary

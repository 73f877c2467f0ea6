"""paddle.fluid.data_feed_desc: descriptions of MultiSlot files."""

from refluid.data.ctr.feed_desc import DataFeedDesc as DataFeedDesc

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)

"""paddle.fluid.data_feed_desc: descriptions of MultiSlot files."""

from refluid.data.ctr.feed_desc import DataFeedDesc as DataFeedDesc

"""paddle.fluid.incubate.fleet.utils.http_server: keys and values over HTTP."""

from refluid.distributed.fleet.key_value import (
    KVHandler as KVHandler,
    KVHTTPServer as KVHTTPServer,
    KVServer as KVServer,
)

"""What rewritten functions call, under the name `_jst`: each decides at run time whether Python or the program acts."""

from refluid.jit.runtime.asserts import assert_ as assert_, raised as raised
from refluid.jit.runtime.branches import choose as choose, if_ as if_
from refluid.jit.runtime.call import call as call, translated as translated
from refluid.jit.runtime.iterables import listed as listed
from refluid.jit.runtime.logic import (
    and_ as and_,
    and_value as and_value,
    compare as compare,
    contains as contains,
    not_ as not_,
    or_ as or_,
    or_value as or_value,
)
from refluid.jit.runtime.loops import for_ as for_, while_ as while_
from refluid.jit.runtime.shapes import shape as shape
from refluid.jit.runtime.undefined import no_value as no_value, values as values

"""paddle.fluid.dygraph.dygraph_to_static: translating Python source into programs."""

from paddle.fluid.dygraph.dygraph_to_static import program_translator as program_translator
from refluid.jit.runtime.call import call as convert_call
from refluid.jit.translator import ProgramTranslator as ProgramTranslator

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)

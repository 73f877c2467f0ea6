"""paddle.fluid.dygraph.dygraph_to_static: translating Python source into programs."""

from paddle.fluid.dygraph.dygraph_to_static import (
    ast_transformer as ast_transformer,
    convert_call_func as convert_call_func,
    partial_program as partial_program,
    program_translator as program_translator,
    utils as utils,
)
from refluid.jit.names import (
    convert_to_static as convert_function_with_cache,
    convert_to_static as convert_to_static,
)
from refluid.jit.runtime.call import call as convert_call
from refluid.jit.translator import ProgramTranslator as ProgramTranslator

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)

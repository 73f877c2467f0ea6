"""paddle.fluid.dygraph.dygraph_to_static.program_translator: ProgramTranslator."""

from refluid.jit.concrete import Concrete as ConcreteProgram
from refluid.jit.function import Programs as FunctionCache
from refluid.jit.names import convert_to_static as convert_function_with_cache, logger as logger
from refluid.jit.translator import ProgramCache as ProgramCache, ProgramTranslator as ProgramTranslator

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)

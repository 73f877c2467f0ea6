"""paddle.fluid.dygraph.dygraph_to_static.program_translator: ProgramTranslator."""

from refluid.jit.translator import ProgramCache as ProgramCache, ProgramTranslator as ProgramTranslator

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)

"""paddle.fluid.dygraph.dygraph_to_static.program_translator: ProgramTranslator."""

from refluid.jit.translator import ProgramCache as ProgramCache, ProgramTranslator as ProgramTranslator

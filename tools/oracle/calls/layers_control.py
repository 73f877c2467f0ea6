"""Functions of fluid.layers that hold other calls: conditions, loops, arrays, recurrences and decoders."""

from call_variants import B, F, I

from calls.table import Table

calls = Table()
X, N, YES = F(2, 3).given(0), I(1, known=True, data=[2]).given(0), B(1, known=True).given(0)
ARRAY = "L.array_write(x, L.zeros([1], 'int64'))"
SIZES = "Refluid declares that the sizes have an axis"
DIFFERS = {
    "L.array_write(x, L.zeros([1], 'int32'))": "Refluid takes int32 too",
    "L.tensor_array_to_tensor(%s, axis=0)" % ARRAY: SIZES,
    "L.tensor_array_to_tensor(%s, axis=0, use_stack=True)" % ARRAY: SIZES,
    "L.tensor_array_to_tensor(x)": "Refluid says where it is built that x is no array",
    "L.GRUCell(3, dtype='int32')": "Refluid refuses it where the cell is called",
    "L.LSTMCell(3)(x, [x, x])": "the names of temporaries: Refluid makes the forget bias first",
    "L.LSTMCell(3)(x, x)": "Refluid counts the states before it looks at them",
    "L.DecodeHelper().initialize()": "the base class has no step to begin with; 1.8.5 gives None",
    "L.TrainingHelper(L.unsqueeze(x, [1]), L.fill_constant([2], 'int64', 1)).initialize()": "the names of temporaries",
    "L.beam_search_decode(x, x, 2, 0)": "Refluid says when it runs that x is no array",
    "L.IfElse(x)()": "Refluid looks at the condition first",
}

for text in (
    "lambda: x + 1.0, lambda: x * 2.0",
    "lambda: x, None",
    "lambda: [x, x + 1.0], lambda: [x, x]",
    "lambda: [x, x], lambda: x",
    "lambda: None, lambda: None",
    "1, lambda: x",
    "None, None",
):
    calls.static("L.cond(y, %s)" % text, x=X, y=YES)
for pred in ("x", "True", "None", "L.reduce_sum(x) > 1.0"):
    calls.static("L.cond(%s, lambda: x, lambda: x * 2.0)" % pred, x=X)
for text in (
    "[(y, lambda: x), (y, lambda: x + 1.0)], lambda: x * 2.0",
    "[(y, lambda: x)]",
    "[]",
    "y",
    "[(y, x)]",
    "[lambda: x]",
    "[(1, lambda: x)], lambda: x",
):
    calls.static("L.case(%s)" % text, x=X, y=YES)
for text in (
    "{1: lambda: x, 2: lambda: x + 1.0}, lambda: x * 2.0",
    "[(2, lambda: x + 1.0), (1, lambda: x)]",
    "[lambda: x, lambda: x + 1.0, lambda: x * 3.0]",
    "[(1, lambda: x), (1, lambda: x)]",
    "[('1', lambda: x)]",
    "[]",
    "3",
    "{1: x}",
):
    calls.static("L.switch_case(y, %s)" % text, x=X, y=N)
for index in ("1", "L.cast(y, 'int32')", "L.cast(y, 'float32')"):
    calls.static("L.switch_case(%s, [lambda: x, lambda: x + 1.0])" % index, x=X, y=N)
for text in (
    "lambda i, a: i < 5, lambda i, a: [i + 1, a * 2.0], [y, x]",
    "lambda i: i < 5, lambda i: i + 1, [y]",
    "lambda i: i < 5, lambda i: (i + 1, i), [y]",
    "lambda i: i, lambda i: i + 1, [y]",
    "lambda i: i < 5, lambda i: i + 1, []",
    "lambda i: i < 5, lambda i: i + 1, y",
    "1, lambda i: i + 1, [y]",
    "lambda i: i < 5, 1, [y]",
    "lambda i: True, lambda i: i + 1, [y]",
):
    calls.static("L.while_loop(%s)" % text, x=X, y=N)
for text in ("y < 5", "y", "True", "x < 1.0"):
    calls.static("L.While(%s) and None" % text, x=X, y=N)
for text in (
    "L.array_read(L.array_write(x, L.zeros([1], 'int64')), L.zeros([1], 'int64'))",
    "L.array_length(L.array_write(x, L.fill_constant([1], 'int64', 2)))",
    "L.array_write(x, 0)",
    "L.array_write(x, L.zeros([1], 'int32'))",
    "L.array_write(1.0, L.zeros([1], 'int64'))",
    "L.array_write(x, L.zeros([1], 'int64'), x)",
    "L.array_read(x, L.zeros([1], 'int64'))",
    "L.array_read(L.create_array('float32'), 0)",
    "L.array_length(x)",
    "L.tensor_array_to_tensor(L.array_write(x, L.zeros([1], 'int64')), axis=0)",
    "L.tensor_array_to_tensor(L.array_write(x, L.zeros([1], 'int64')), axis=0, use_stack=True)",
    "L.tensor_array_to_tensor(x)",
    "L.tensor_array_to_tensor(1)",
    "L.reorder_lod_tensor_by_rank(x, x)",
    "L.reorder_lod_tensor_by_rank(1, x)",
    "L.rnn(L.GRUCell(3), L.unsqueeze(x, [1]))",
    "L.rnn(L.LSTMCell(3), L.unsqueeze(x, [1]), time_major=True)",
    "L.rnn(L.GRUCell(3), x)",
    "L.rnn(L.GRUCell(3), None)",
    "L.rnn(1, x)",
    "L.GRUCell('x')",
    "L.GRUCell(3, dtype='int32')",
    "L.LSTMCell(3)(x, [x, x])",
    "L.LSTMCell(3)(x, x)",
    "L.GRUCell(3)(x, x)",
    "L.GRUCell(3)(x, 1)",
    "L.GRUCell(3).get_initial_states(x)",
    "L.GRUCell(3).state_shape",
    "L.LSTMCell(3).state_shape",
    "L.RNNCell().call(x, x)",
    "L.Decoder().initialize(x)",
    "L.DecodeHelper().initialize()",
    "L.TrainingHelper(L.unsqueeze(x, [1]), L.fill_constant([2], 'int64', 1)).initialize()",
    "L.dynamic_decode(1)",
    "L.beam_search_decode(x, x, 2, 0)",
    "L.py_func(lambda a: a, x, 1)",
    "L.py_func(1, x, x)",
    "L.StaticRNN(name=1)",
    "L.StaticRNN().step_input(x)",
    "L.StaticRNN()()",
    "L.DynamicRNN().step_input(x)",
    "L.DynamicRNN()()",
    "L.IfElse(x)()",
    "L.IfElse(1)",
    "L.Switch().default().__enter__()",
    "L.Switch().case(x).__enter__()",
    "L.py_reader(2, [[-1, 3]], ['float32']).name is not None",
    "L.read_file(x)",
    "L.double_buffer(1)",
    "L.crf_decoding(x, P('none'))",
):
    calls.static(text, x=X, differs=DIFFERS.get(text))

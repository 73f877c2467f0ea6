"""fluid.metrics and fluid.io: ordinary, unusual and wrong calls."""

import os
import tempfile

from calls.table import Table, fluid, np

calls = Table()
L = fluid.layers


def told(text):
    """What an expression gives; `;` separates statements that come before it. `m` is fluid.metrics."""
    space = {"m": fluid.metrics, "np": np, "fluid": fluid, "a": np.array}
    *before, last = text.split("; ")
    for statement in before:
        exec(statement, space)
    return eval(last, space)


NO_EXECUTOR = "Refluid computes more than 1.8.5: files need no executor"
DIFFERS = {
    "io.save_params(None, folder)": NO_EXECUTOR,
    "io.save_inference_model(folder, ['x'], [out], None)": NO_EXECUTOR,
    "io.save_inference_model(folder, ['x'], [out], exe); io.load_inference_model(folder, None)": NO_EXECUTOR,
    "io.save_vars(exe, folder, vars=['fc_0.w_0'])": "Refluid computes more than 1.8.5: variables by their names",
    "io.save_inference_model(folder, None, [out], exe)": "Refluid computes more than 1.8.5: None is no input",
}


def each(texts, function=told):
    for text in texts.strip().splitlines():
        calls.program(function, differs=DIFFERS.get(text.strip()), text=text.strip())


each("""
    x = m.Accuracy(); x.update(0.5, 2); x.update(1.0, 2); x.eval()
    x = m.Accuracy(); x.update(a([0.5]), 2); x.eval()
    x = m.Accuracy(); x.update(a([0.5]), a([2])); x.eval()
    x = m.Accuracy(); x.update('0.5', 2)
    x = m.Accuracy(); x.update(0.5, '2')
    x = m.Accuracy(); x.update(0.5, -1)
    x = m.Accuracy(); x.update(0.5)
    x = m.Accuracy(); x.update(None, 2)
    m.Accuracy().eval()
    x = m.Accuracy(); x.update(0.5, 0); x.eval()
    x = m.Accuracy(); x.update(0.5, 2); x.reset(); x.eval()
    x = m.Accuracy('own'); str(x)
    str(m.Accuracy())
    m.Accuracy(name=3)
    x = m.Accuracy(); x.update(0.5, 2); x.get_config()
    m.MetricBase('a').update(1, 2)
    m.MetricBase('a').eval()
    x = m.Precision(); x.update(a([[0.9], [0.2], [0.7]]), a([[1], [0], [0]])); x.eval()
    x = m.Recall(); x.update(a([[0.9], [0.2], [0.7]]), a([[1], [1], [0]])); x.eval()
    x = m.Precision(); x.update([0.9], [1])
    x = m.Recall(); x.update([0.9], [1])
    m.Precision().eval()
    m.Recall().eval()
    x = m.Precision(); x.update(a([0.9, 0.2]), a([1, 0])); x.eval()
    x = m.Precision(); x.update(a([[0.9]]), a([[1], [0]])); x.eval()
    x = m.ChunkEvaluator(); x.update(10, 8, 6); x.eval()
    x = m.ChunkEvaluator(); x.update(a([10]), a([8]), a([6])); x.update(a([2]), a([2]), a([1])); x.eval()
    x = m.ChunkEvaluator(); x.update('10', 8, 6)
    x = m.ChunkEvaluator(); x.update(10, '8', 6)
    m.ChunkEvaluator().eval()
    x = m.EditDistance('d'); x.update(a([[1.0], [0.0]]), a([2])); x.eval()
    x = m.EditDistance('d'); x.update(a([[1.0], [0.0]]), 2); x.eval()
    x = m.EditDistance('d'); x.update([[1.0]], 2)
    m.EditDistance('d').eval()
    m.EditDistance()
    x = m.Auc('a'); x.update(a([[0.3, 0.7], [0.6, 0.4]]), a([[1], [0]])); x.eval()
    x = m.Auc('a', num_thresholds=10); x.update(a([[0.3, 0.7], [0.6, 0.4], [0.2, 0.8]]), a([[1], [0], [0]])); x.eval()
    x = m.Auc('a', curve='PR'); x.update(a([[0.3, 0.7], [0.6, 0.4]]), a([[1], [0]])); x.eval()
    m.Auc('a').eval()
    x = m.Auc('a'); x.update([[0.3, 0.7]], [[1]])
    x = m.Auc('a'); x.update(a([[0.3, 0.7]]), [[1]])
    m.Auc()
    x = m.Auc('a'); x.update(a([[0.3, 1.7]]), a([[1]]))
    x = m.CompositeMetric(); x.add_metric(m.Accuracy()); x.eval()
    x = m.CompositeMetric(); x.add_metric(m.Precision()); x.update(a([[0.9]]), a([[1]])); x.eval()
    x = m.CompositeMetric(); x.add_metric(3)
    m.CompositeMetric().eval()
    x = fluid.average.WeightedAverage(); x.add(1.0, 2); x.add(3.0, 2); x.eval()
    x = fluid.average.WeightedAverage(); x.add(np.ones(2), 2); x.eval()
    x = fluid.average.WeightedAverage(); x.add('a', 2)
    x = fluid.average.WeightedAverage(); x.add(1.0, 'a')
    fluid.average.WeightedAverage().eval()
    x = fluid.average.WeightedAverage(); x.add(1.0, 0); x.eval()
    x = fluid.average.WeightedAverage(); x.add(1.0, 2); x.reset(); x.eval()
""")


def value(name):
    return np.array(fluid.global_scope().find_var(name).get_tensor())


def put(name, number):
    held = fluid.global_scope().find_var(name).get_tensor()
    held.set(np.array(held) * 0 + np.float32(number), fluid.CPUPlace())


def built(text):
    """What an expression gives where a small program was run; `exe`, `main`, `out`, `folder` are at hand."""
    with tempfile.TemporaryDirectory() as folder:
        x = fluid.data("x", [None, 2])
        attrs = [fluid.ParamAttr(initializer=fluid.initializer.Constant(value)) for value in (0.5, 0.25)]
        out = L.fc(x, 3, param_attr=attrs[0], bias_attr=attrs[1])
        exe = fluid.Executor(fluid.CPUPlace())
        exe.run(fluid.default_startup_program())
        main = fluid.default_main_program()
        space = {"fluid": fluid, "io": fluid.io, "np": np, "exe": exe, "main": main, "out": out, "folder": folder}
        space.update(
            os=os, path=os.path.join(folder, "model"), v=np.ones((2, 2), "float32"), scope=fluid.global_scope()
        )
        space.update(value=value, put=put)
        *before, last = text.split("; ")
        for statement in before:
            exec(statement, space)
        return eval(last, space)


LOADED = "p, f, t = io.load_inference_model(%s); [f, [n.name for n in t], exe.run(p, feed={'x': v}, fetch_list=t)]"
each(
    """
    io.save_params(exe, folder); sorted(os.listdir(folder))
    io.save_params(exe, folder, filename='all'); os.listdir(folder)
    io.save_params(exe, folder, main); sorted(os.listdir(folder))
    io.save_params(exe, None)
    io.save_params(None, folder)
    io.save_params(exe, folder, 3)
    io.save_params(exe, folder, fluid.Program()); os.listdir(folder)
    io.save_persistables(exe, folder); sorted(os.listdir(folder))
    io.save_persistables(exe, folder, main, 'all'); os.listdir(folder)
    io.save_vars(exe, folder, vars=main.all_parameters()); sorted(os.listdir(folder))
    io.save_vars(exe, folder, main, predicate=lambda v: v.name.endswith('w_0')); os.listdir(folder)
    io.save_vars(exe, folder, vars=[]); os.listdir(folder)
    io.save_vars(exe, folder, vars=['fc_0.w_0'])
    io.save_vars(exe, folder, vars=3)
    io.save_vars(exe, folder, main)
    io.save_vars(exe, folder, vars=[out])
    io.save_vars(exe, folder, vars=main.all_parameters(), filename='all'); os.listdir(folder)
    io.save_params(exe, folder); put('fc_0.w_0', 0.0); io.load_params(exe, folder); value('fc_0.w_0')
    io.save_params(exe, folder, filename='all'); io.load_params(exe, folder, filename='all'); value('fc_0.w_0')
    io.load_params(exe, folder)
    io.load_params(exe, folder, filename='all')
    io.load_params(exe, None)
    io.load_persistables(exe, folder)
    io.save_persistables(exe, folder); io.load_persistables(exe, folder, main)
    io.load_vars(exe, folder, vars=[])
    io.load_vars(exe, folder, vars=3)
    io.load_vars(exe, folder, main, predicate=3)
    io.save_params(exe, folder); io.load_vars(exe, folder, main, predicate=lambda v: v.name == 'fc_0.b_0')
    io.save_inference_model(folder, ['x'], [out], exe)
    io.save_inference_model(folder, ['x'], [out], exe); sorted(os.listdir(folder))
    io.save_inference_model(folder, ['x'], [out], exe, None, 'm', 'p'); sorted(os.listdir(folder))
    io.save_inference_model(folder, 'x', out, exe); sorted(os.listdir(folder))
    io.save_inference_model(folder, [], [out], exe); sorted(os.listdir(folder))
    io.save_inference_model(folder, ['nothing'], [out], exe); sorted(os.listdir(folder))
    io.save_inference_model(folder, ['x'], [], exe)
    io.save_inference_model(folder, ['x'], ['out'], exe)
    io.save_inference_model(folder, ['x'], None, exe)
    io.save_inference_model(folder, None, [out], exe)
    io.save_inference_model(folder, [3], [out], exe)
    io.save_inference_model(folder, ['x'], [out], None)
    io.save_inference_model(folder, ['x'], [out], exe, program_only=True); sorted(os.listdir(folder))
    io.save_inference_model(folder, ['x'], [out], exe, export_for_deployment=False); sorted(os.listdir(folder))
    io.save_inference_model(folder, ['x'], [out], exe, main_program=3)
    io.load_inference_model(folder, exe)
    io.load_inference_model(folder + '/nothing', exe)
    io.load_inference_model(None, exe)
    io.save_inference_model(folder, ['x'], [out], exe); io.load_inference_model(folder, None)
    io.save_inference_model(folder, ['x'], [out], exe); io.load_inference_model(folder, exe, 'nothing')
    io.save_inference_model(folder, ['x'], [out], exe); {0}
    io.save_inference_model(folder, ['x'], [out], exe, params_filename='p'); {1}
    io.save_inference_model(folder, ['x'], [out, out], exe); {0}
    fluid.save(main, path); sorted(os.listdir(folder))
    fluid.save(main, folder + '/')
    fluid.save(3, path)
    fluid.save(main, path); fluid.load(main, path, exe)
    fluid.save(main, path); fluid.load(main, path); value('fc_0.w_0')
    fluid.save(main, path); fluid.load(main, path, exe, main.all_parameters())
    fluid.save(main, path); fluid.load(main, path, exe, [])
    fluid.load(main, path, exe)
    fluid.save(main, path); sorted(io.load_program_state(path))
    io.load_program_state(path)
    fluid.save(main, path); io.set_program_state(main, io.load_program_state(path))
    io.set_program_state(main, {})
    io.set_program_state(main, 3)
    io.set_program_state(main, {'fc_0.w_0': np.ones((3, 3), 'float32')})
    io.set_program_state(main, {'fc_0.w_0': np.zeros((2, 3), 'float32')}); value('fc_0.w_0')
    io.set_program_state(main, {'nothing': v})
    io.get_parameter_value(main.all_parameters()[0], exe)
    io.get_parameter_value(out, exe)
    io.get_parameter_value_by_name('fc_0.b_0', exe)
    io.get_parameter_value_by_name('nothing', exe)
    io.is_parameter(main.all_parameters()[0])
    io.is_parameter(out)
    io.is_persistable(main.all_parameters()[0])
    io.is_persistable(out)
    io.is_belong_to_optimizer(out)
    [p.name for p in io.get_program_parameter(main)]
    [p.name for p in io.get_program_persistable_vars(main)]
    [op.type for op in io.get_inference_program(out).global_block().ops]
    [b for b in io.batch(lambda: iter(range(5)), 2)()]
    [b for b in io.batch(lambda: iter(range(5)), 2, drop_last=True)()]
    io.batch(lambda: iter(range(5)), 0)
    sorted(io.shuffle(lambda: iter(range(5)), 2)())
    list(io.chain(lambda: iter([1]), lambda: iter([2]))())
    list(io.firstn(lambda: iter(range(5)), 2)())
    list(io.compose(lambda: iter([1]), lambda: iter([2]))())
    list(io.compose(lambda: iter([1]), lambda: iter([2, 3]))())
    list(io.map_readers(lambda a: a + 1, lambda: iter([1, 2]))())
    list(io.buffered(lambda: iter([1, 2]), 2)())
    list(io.cache(lambda: iter([1, 2]))())
""".replace("{0}", LOADED % "folder, exe").replace("{1}", LOADED % "folder, exe, params_filename='p'"),
    built,
)

"""Names of 1.8.5's package that do not exist here (see test_names.py)."""

_OF_GAST = "a step of rewriting trees of the package gast; jit/rewrite rewrites Python's own trees"

# What is left out for good: {module: {reason: names}}; a module that is left out whole has the names "*".
LEFT_OUT: dict[str, dict[str, str]] = {
    "paddle.dataset.image": {"how 1.8.5 finds out whether OpenCV loads": "err import_cv2_proc out retcode"},
    "paddle.dataset.movielens": {
        "what its functions have read so far, kept under other names here": (
            "CATEGORIES_DICT MOVIE_INFO MOVIE_TITLE_DICT USER_INFO"
        ),
        "a test that stands beside the functions": "unittest",
    },
    "paddle.dataset.uci_housing": {"what its functions have read so far": "UCI_TEST_DATA UCI_TRAIN_DATA"},
    "paddle.dataset.wmt14": {"files that 1.8.5 does not use itself": "MD5_DEV_TEST MD5_MODEL URL_DEV_TEST URL_MODEL"},
    "paddle.fluid": {
        "where the compiled library lies": "core_suffix legacy_core",
        "variables have their arithmetic from their class": "monkey_patch_varbase monkey_patch_variable",
    },
    "paddle.fluid.contrib.memory_usage_calc": {"a switch for its authors": "DEBUG"},
    "paddle.fluid.contrib.slim.core.compressor": {"a base class without methods of its own": "DataLoaderBase"},
    "paddle.fluid.core": {
        "finding and loading the compiled library": (
            "avx_supported core_suffix current_path get_dso_path get_glibc_ver has_avx_core has_noavx_core "
            "init_devices init_glog less_than_ver load_dso load_noavx pre_load print_function "
            "run_shell_command set_paddle_lib_path"
        ),
        "the compiled half of a class that is whole as fluid.<name>": (
            "Dataset DeviceContext Executor ExecutorPrepareContext FetchUnmergedList IterableDatasetWrapper "
            "ParallelExecutor ProgramDescTracer TrainerBase"
        ),
        "the queue between the threads of Fluid's readers; loaders have their own": (
            "LoDTensorBlockingQueue MultiDeviceFeedReader OrderedMultiDeviceFeedReader "
            "OrderedMultiDeviceLoDTensorBlockingQueue Reader create_py_reader init_lod_tensor_blocking_queue"
        ),
        "other hardware, and services outside": "BoxPS DistCommunicator Fleet Gloo MkldnnQuantizerConfig",
    },
    "paddle.fluid.core_avx": {
        "finding and loading the compiled library": "init_devices init_glog",
        "the compiled half of a class that is whole as fluid.<name>": (
            "Dataset DeviceContext Executor ExecutorPrepareContext FetchUnmergedList IterableDatasetWrapper "
            "ParallelExecutor ProgramDescTracer TrainerBase _append_python_callable_object_and_return_id"
        ),
        "the queue between the threads of Fluid's readers; loaders have their own": (
            "LoDTensorBlockingQueue MultiDeviceFeedReader OrderedMultiDeviceFeedReader "
            "OrderedMultiDeviceLoDTensorBlockingQueue Reader create_py_reader init_lod_tensor_blocking_queue"
        ),
        "shared memory and signals of Fluid's loader processes": (
            "_cleanup_mmap_fds _convert_to_tensor_list _erase_process_pids _remove_tensor_list_mmap_fds "
            "_set_process_pids _set_process_signal_handler _throw_error_if_process_failed"
        ),
        "other hardware, and services outside": "BoxPS DistCommunicator Fleet Gloo MkldnnQuantizerConfig",
    },
    "paddle.fluid.dataloader.dataloader_iter": {
        "shared memory and signals of Fluid's loader processes": (
            "MP_INDICES_CHECK_INTERVAL ParentWatchDog _DataLoaderIterMultiProcess _DataLoaderIterSingleProcess "
            "_cleanup_mmap _set_SIGCHLD_handler"
        ),
    },
    "paddle.fluid.distributed": {"messages of pslib's server": "ps_pb2"},
    "paddle.fluid.distributed.ps_pb2": {"messages of pslib's server, which no public release of Fluid has": "*"},
    "paddle.fluid.dygraph": {"variables have their arithmetic from their class": "math_op_patch varbase_patch_methods"},
    "paddle.fluid.dygraph.base": {
        "recording by the compiled tracer; jit/capture.py records": ("param_guard program_desc_tracing_guard")
    },
    "paddle.fluid.dygraph.jit": {"recording by the compiled tracer": "program_desc_tracing_guard"},
    "paddle.fluid.dygraph.layers": {"recording by the compiled tracer": "param_guard program_desc_tracing_guard"},
    "paddle.fluid.dygraph.dygraph_to_static": {
        _OF_GAST: (
            "AstNodeWrapper DygraphToStaticAst LoopTransformer NameVisitor NodeVarType StaticAnalysisVisitor "
            "basic_api_transformer break_continue_transformer call_transformer create_static_variable_gast_node "
            "data_layer_not_check ifelse_transformer list_transformer loop_transformer print_transformer "
            "static_analysis tensor_shape_transformer to_static_variable_gast_node variable_trans_func"
        ),
    },
    "paddle.fluid.dygraph.dygraph_to_static.ast_transformer": {
        _OF_GAST: (
            "BasicApiTransformer BreakContinueTransformer CallTransformer DECORATOR_NAMES DygraphToStaticAst "
            "IfElseTransformer ListTransformer LoopTransformer StaticAnalysisVisitor TensorShapeTransformer "
            "ast_to_func get_attribute_full_name"
        ),
    },
    "paddle.fluid.dygraph.dygraph_to_static.convert_call_func": {
        "variables of the module": "DECORATOR_NAMES program_translator to_static_func",
    },
    "paddle.fluid.dygraph.dygraph_to_static.partial_program": {
        "parts of PartialProgramLayer": "partial_program_from valid_vars",
    },
    "paddle.fluid.dygraph.dygraph_to_static.program_translator": {
        _OF_GAST: "DygraphToStaticAst FunctionSpec param_guard partial_program_from synchronized",
    },
    "paddle.fluid.dygraph.dygraph_to_static.utils": {
        _OF_GAST: (
            "IsControlFlowVisitor RenameTransformer ast_to_func compare_with_none create_api_shape_node "
            "create_assign_node create_funcDef_node dygraph_class_to_static_api generate_name_node "
            "get_attribute_full_name get_constant_variable_node index_in_list is_api_in_module is_candidate_node "
            "is_control_flow_to_transform is_dygraph_api is_numpy_api is_paddle_api is_to_variable "
            "recover_globals_attribute to_assign_node to_static_api to_static_ast update_args_of_func"
        ),
    },
    **{
        f"paddle.fluid.dygraph.dygraph_to_static.{module}": {_OF_GAST: "*"}
        for module in (
            "basic_api_transformer",
            "break_continue_transformer",
            "call_transformer",
            "ifelse_transformer",
            "list_transformer",
            "loop_transformer",
            "print_transformer",
            "static_analysis",
            "tensor_shape_transformer",
            "variable_trans_func",
        )
    },
    "paddle.fluid.dygraph.math_op_patch": {"variables have their arithmetic from their class": "*"},
    "paddle.fluid.dygraph.varbase_patch_methods": {"variables have their methods from their class": "*"},
    "paddle.fluid.install_check": {"what run_check trains": "SimpleLayer"},
    "paddle.fluid.layers": {
        "variables have their arithmetic from their class": "compare_ops math_op_patch monkey_patch_variable"
    },
    "paddle.fluid.layers.control_flow": {
        "what the methods of While, IfElse and StaticRNN open": (
            "BlockGuardWithCompletion IfElseBlockGuard StaticRNNMemoryLink WhileGuard copy_var_to_parent_block"
        ),
    },
    "paddle.fluid.layers.io": {
        "copies of reader variables, which programs share here": "_copy_reader_var_ monkey_patch_reader_methods"
    },
    "paddle.fluid.layers.math_op_patch": {"variables have their arithmetic from their class": "*"},
    "paddle.fluid.layers.nn": {
        "names that a loop of the module leaves behind": "func op_proto",
        "the compiled half's list of Python functions": "PyFuncRegistry",
    },
    "paddle.fluid.multiprocess_utils": {
        "shared memory and signals of Fluid's loader processes": (
            "_cleanup _cleanup_mmap _set_SIGCHLD_handler multiprocess_queue_set"
        ),
    },
    "paddle.fluid.net_drawer": {"counters of the module": "GRAPH_ID logger"},
    "paddle.fluid.op": {
        "operators that 1.8.5 does not have any more": "CondOp DynamicRecurrentOp RecurrentOp",
    },
    "paddle.fluid.profiler": {"settings of nvprof, which cuda_profiler does not call": "NVPROF_CONFIG"},
    "paddle.fluid.reader": {
        "shared memory and signals of Fluid's loader processes": (
            "KEEP_DATA_LOADER_ORDER QUEUE_GET_TIMEOUT _DataLoaderIterMultiProcess _DataLoaderIterSingleProcess "
            "_cleanup _cleanup_mmap _set_SIGCHLD_handler data_loader_unique_name_generator keep_data_loader_order "
            "multiprocess_queue_set"
        ),
        "copies of reader variables, which programs share here": "_copy_reader_var_ monkey_patch_reader_methods",
        "a base class without methods of its own": "DataLoaderBase",
    },
    "paddle.fluid.contrib.slim.nas": {"numbers of the module fcntl": "LOCK_EX LOCK_UN"},
    "paddle.fluid.contrib.slim.quantization.qat2_int8_mkldnn_pass": {
        "roles, which the pass does not ask for": "OpRole"
    },
    "paddle.fluid.trainer_factory": {"a logger of the module": "local_logger"},
    "paddle.fluid.transpiler.details": {"how programs are indented, and Python 2": "get_indent_space string_types"},
    "paddle.fluid.transpiler.details.program_utils": {"how programs are indented": "get_indent_space"},
    "paddle.fluid.transpiler.distribute_transpiler": {"a switch for its authors": "PRINT_LOG log"},
    "paddle.reader.decorator": {"a mark between the threads of xmap_readers": "XmapEndSignal"},
    "paddle.utils": {"batches and logs of the trainer of PaddlePaddle 0.9": "plotcurve preprocess_img preprocess_util"},
    "paddle.utils.plotcurve": {"draws from logs of the trainer of PaddlePaddle 0.9": "*"},
    "paddle.utils.preprocess_img": {"makes batches for the trainer of PaddlePaddle 0.9": "*"},
    "paddle.utils.preprocess_util": {"makes batches for the trainer of PaddlePaddle 0.9": "*"},
}

# What is a function there and a class here, or the reverse, and serves all the same: {module: names}.
OF_ANOTHER_KIND = {
    "paddle.fluid.core": "Scope",
    "paddle.fluid.core_avx": "Scope",
    "paddle.fluid.dygraph.base": "no_grad",
}

# Modules that are still to come.
MODULES_NOT_YET: set[str] = set()

# Names that are still to come, by module.
NAMES_NOT_YET: dict[str, str] = {}

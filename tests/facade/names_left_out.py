"""Names of 1.8.5's package that do not exist here (see test_names.py)."""

# What is left out for good: {module: {reason: names}}; a module that is left out whole has the names "*".
LEFT_OUT: dict[str, dict[str, str]] = {}

# What is a function there and a class here, or the reverse, and serves all the same: {module: names}.
OF_ANOTHER_KIND = {
    "paddle.fluid.core": "Scope",
    "paddle.fluid.core_avx": "Scope",
    "paddle.fluid.dygraph.base": "no_grad",
}

# Modules that are still to come.
MODULES_NOT_YET = {
    # model compression
    "paddle.fluid.contrib.slim",
    # several processes and machines
    "paddle.distributed",
    "paddle.fluid.communicator",
    "paddle.fluid.contrib.utils.lookup_table_utils",
    "paddle.fluid.device_worker",
    "paddle.fluid.distribute_lookup_table",
    "paddle.fluid.distributed",
    "paddle.fluid.dygraph.parallel_helper",
    "paddle.fluid.incubate",
    "paddle.fluid.layers.collective",
    "paddle.fluid.trainer_desc",
    "paddle.fluid.trainer_factory",
    "paddle.fluid.transpiler.collective",
    "paddle.fluid.transpiler.details",
    "paddle.fluid.transpiler.distribute_transpiler",
    "paddle.fluid.transpiler.geo_sgd_transpiler",
    "paddle.fluid.transpiler.ps_dispatcher",
    # parts of Fluid that have counterparts here
    "paddle.fluid.dygraph.dygraph_to_static",
    "paddle.fluid.dygraph.math_op_patch",
    "paddle.fluid.dygraph.static_runner",
    "paddle.fluid.dygraph.varbase_patch_methods",
    "paddle.fluid.layers.math_op_patch",
    "paddle.utils.image_util",
    "paddle.utils.plotcurve",
    "paddle.utils.preprocess_img",
    "paddle.utils.preprocess_util",
}

# Names that are still to come, by module.
NAMES_NOT_YET: dict[str, str] = {
    "paddle.compat": "int_type",
    "paddle.complex.tensor.manipulation": "dygraph_only",
    "paddle.complex.tensor.math": "dygraph_only",
    "paddle.dataset.image": "err import_cv2_proc out retcode",
    "paddle.dataset.movielens": "unittest CATEGORIES_DICT MOVIE_INFO MOVIE_TITLE_DICT USER_INFO",
    "paddle.dataset.sentiment": "download_data_if_not_yet",
    "paddle.dataset.uci_housing": "UCI_TEST_DATA UCI_TRAIN_DATA",
    "paddle.dataset.wmt14": "MD5_DEV_TEST MD5_MODEL URL_DEV_TEST URL_MODEL",
    "paddle.fluid": (
        "_Scope InMemoryDataset QueueDataset monkey_patch_varbase monkey_patch_variable distributed core_suffix "
        "legacy_core"
    ),
    "paddle.fluid.clip": "BaseErrorClipAttr ClipByGlobalNorm ClipByNorm ClipByValue",
    "paddle.fluid.compiler": "InferAnalysisConfig InferNativeConfig",
    "paddle.fluid.contrib": (
        "search_pyramid_hash Compressor convert_dist_to_sparse_program load_persistables_for_increment "
        "load_persistables_for_inference"
    ),
    "paddle.fluid.contrib.layers": "search_pyramid_hash",
    "paddle.fluid.contrib.layers.nn": "search_pyramid_hash",
    "paddle.fluid.contrib.memory_usage_calc": "DEBUG dtype_to_size",
    "paddle.fluid.contrib.mixed_precision.decorator": "update_role_var_grad",
    "paddle.fluid.contrib.mixed_precision.fp16_utils": (
        "find_op_index find_true_post_op find_true_prev_op update_role_var_grad"
    ),
    "paddle.fluid.contrib.quantize.quantize_transpiler": "quant",
    "paddle.fluid.contrib.utils": (
        "convert_dist_to_sparse_program load_persistables_for_increment load_persistables_for_inference "
        "lookup_table_utils"
    ),
    "paddle.fluid.contrib.utils.hdfs_utils": "getfilelist",
    "paddle.fluid.core": (
        "BoxPS Dataset DeviceContext DistCommunicator Executor ExecutorPrepareContext FetchUnmergedList Fleet Gloo "
        "IterableDatasetWrapper LoDTensorBlockingQueue MkldnnQuantizerConfig MultiDeviceFeedReader "
        "OrderedMultiDeviceFeedReader OrderedMultiDeviceLoDTensorBlockingQueue ParallelExecutor ProgramDescTracer "
        "Reader TrainerBase avx_supported create_py_reader get_dso_path get_glibc_ver init_devices init_glog "
        "init_lod_tensor_blocking_queue less_than_ver load_dso pre_load run_shell_command set_paddle_lib_path "
        "core_suffix current_path has_avx_core has_noavx_core load_noavx print_function"
    ),
    "paddle.fluid.core_avx": (
        "BoxPS Dataset DeviceContext DistCommunicator Executor ExecutorPrepareContext FetchUnmergedList Fleet Gloo "
        "IterableDatasetWrapper LoDTensorBlockingQueue MkldnnQuantizerConfig MultiDeviceFeedReader "
        "OrderedMultiDeviceFeedReader OrderedMultiDeviceLoDTensorBlockingQueue ParallelExecutor ProgramDescTracer "
        "Reader TrainerBase _append_python_callable_object_and_return_id _cleanup_mmap_fds _convert_to_tensor_list "
        "_erase_process_pids _remove_tensor_list_mmap_fds _set_process_pids _set_process_signal_handler "
        "_throw_error_if_process_failed create_py_reader init_devices init_glog init_lod_tensor_blocking_queue"
    ),
    "paddle.fluid.dataloader.dataloader_iter": (
        "ParentWatchDog _DataLoaderIterMultiProcess _DataLoaderIterSingleProcess _cleanup_mmap _set_SIGCHLD_handler "
        "MP_INDICES_CHECK_INTERVAL"
    ),
    "paddle.fluid.dataset": "BoxPSDataset FileInstantDataset",
    "paddle.fluid.dygraph": "math_op_patch varbase_patch_methods",
    "paddle.fluid.dygraph.base": "param_guard program_desc_tracing_guard switch_to_static_graph",
    "paddle.fluid.dygraph.jit": (
        "program_desc_tracing_guard switch_to_static_graph create_program_from_desc extract_vars logger"
    ),
    "paddle.fluid.dygraph.layers": "HookRemoveHelper param_guard program_desc_tracing_guard",
    "paddle.fluid.dygraph.learning_rate_scheduler": "_LearningRateEpochDecay",
    "paddle.fluid.executor": "InferAnalysisConfig InferNativeConfig",
    "paddle.fluid.install_check": "SimpleLayer",
    "paddle.fluid.layers": "OpProtoHolder Variable LayerHelper compare_ops monkey_patch_variable math_op_patch",
    "paddle.fluid.layers.control_flow": (
        "BlockGuardWithCompletion IfElseBlockGuard StaticRNNMemoryLink WhileGuard copy_var_to_parent_block"
    ),
    "paddle.fluid.layers.distributions": "Distribution",
    "paddle.fluid.layers.io": ("BlockGuardServ ListenAndServ Recv Send _copy_reader_var_ monkey_patch_reader_methods"),
    "paddle.fluid.layers.loss": "cross_entropy2 kIgnoreIndex",
    "paddle.fluid.layers.nn": "PyFuncRegistry tensor_array_to_tensor func op_proto",
    "paddle.fluid.layers.ops": "_elementwise_div",
    "paddle.fluid.layers.tensor": "tensor_array_to_tensor",
    "paddle.fluid.multiprocess_utils": "_cleanup _cleanup_mmap _set_SIGCHLD_handler multiprocess_queue_set",
    "paddle.fluid.net_drawer": "GRAPH_ID logger",
    "paddle.fluid.op": "CondOp DynamicRecurrentOp RecurrentOp",
    "paddle.fluid.optimizer": "DGCMomentumOptimizer _LearningRateEpochDecay",
    "paddle.fluid.profiler": "NVPROF_CONFIG",
    "paddle.fluid.reader": (
        "DataLoaderBase DatasetLoader DygraphGeneratorLoader GeneratorLoader _DataLoaderIterMultiProcess "
        "_DataLoaderIterSingleProcess _copy_reader_var_ monkey_patch_reader_methods _cleanup _cleanup_mmap "
        "_set_SIGCHLD_handler multiprocess_queue_set data_loader_unique_name_generator keep_data_loader_order "
        "KEEP_DATA_LOADER_ORDER QUEUE_GET_TIMEOUT"
    ),
    "paddle.incubate.hapi.vision.transforms.transforms": "Iterable Sequence",
    "paddle.reader.decorator": "XmapEndSignal",
    "paddle.utils": "image_util plotcurve preprocess_img preprocess_util",
    "paddle.version": "istaged",
}

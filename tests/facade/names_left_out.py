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
    "paddle.fluid.debugger",
    "paddle.fluid.dygraph.dygraph_to_static",
    "paddle.fluid.dygraph.math_op_patch",
    "paddle.fluid.dygraph.static_runner",
    "paddle.fluid.dygraph.varbase_patch_methods",
    "paddle.fluid.graphviz",
    "paddle.fluid.layers.device",
    "paddle.fluid.layers.layer_function_generator",
    "paddle.fluid.layers.math_op_patch",
    "paddle.fluid.multiprocess_utils",
    "paddle.fluid.net_drawer",
    "paddle.fluid.op",
    "paddle.utils.image_util",
    "paddle.utils.plotcurve",
    "paddle.utils.preprocess_img",
    "paddle.utils.preprocess_util",
}

# Names that are still to come, by module.
NAMES_NOT_YET: dict[str, str] = {
    "paddle.common_ops_import": "templatedoc",
    "paddle.compat": "int_type",
    "paddle.complex.tensor.manipulation": "dygraph_only templatedoc",
    "paddle.complex.tensor.math": "dygraph_only templatedoc",
    "paddle.dataset.image": "err import_cv2_proc out retcode",
    "paddle.dataset.movielens": "unittest CATEGORIES_DICT MOVIE_INFO MOVIE_TITLE_DICT USER_INFO",
    "paddle.dataset.sentiment": "download_data_if_not_yet",
    "paddle.dataset.uci_housing": "UCI_TEST_DATA UCI_TRAIN_DATA",
    "paddle.dataset.wmt14": "MD5_DEV_TEST MD5_MODEL URL_DEV_TEST URL_MODEL",
    "paddle.fluid": (
        "_Scope InMemoryDataset QueueDataset BCELoss BatchNorm BilinearTensorProduct Conv2D Conv2DTranspose Conv3D "
        "Conv3DTranspose Dropout Embedding GRUUnit GroupNorm InstanceNorm L1Loss LayerNorm Linear MSELoss NCE NLLLoss "
        "PRelu Pool2D SpectralNorm TreeConv monkey_patch_varbase monkey_patch_variable DistributeTranspiler "
        "DistributeTranspilerConfig communicator data_generator debugger device_worker distribute_lookup_table "
        "distributed fleet graphviz incubate multiprocess_utils net_drawer op trainer_desc trainer_factory "
        "core_suffix legacy_core"
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
        "AttrType BackwardStrategy BoxPS CpuPassStrategy Dataset DeviceContext DistCommunicator EventSortingKey "
        "Executor ExecutorPrepareContext FetchList FetchUnmergedList Fleet GlobalVarGetterSetterRegistry Gloo "
        "GpuPassStrategy IterableDatasetWrapper Layer LoDTensorBlockingQueue LodRankTable MkldnnQuantizerConfig "
        "MultiDeviceFeedReader NativePaddlePredictor Operator OrderedMultiDeviceFeedReader "
        "OrderedMultiDeviceLoDTensorBlockingQueue PaddlePassBuilder PaddlePlace ParallelExecutor ParallelStrategy "
        "PassBuilder PassStrategy ProfilerState ProgramDescTracer Reader Tensor Tracer TracerOption TrainerBase "
        "Variable _Scope avx_supported create_py_reader diff_tensor_shape disable_profiler dygraph_partial_grad "
        "enable_profiler from_dlpack get_dso_path get_fetch_variable get_glibc_ver get_grad_op_desc "
        "get_op_attrs_default_value get_variable_tensor globals has_grad_op_maker has_infer_inplace "
        "has_non_empty_grad_op_maker infer_no_need_buffer_slots init_devices init_gflags init_glog "
        "init_lod_tensor_blocking_queue is_compiled_with_brpc is_compiled_with_dist is_compiled_with_mkldnn "
        "is_profiler_enabled less_than_ver load_dso load_op_library op_support_gpu paddle_dtype_size "
        "paddle_tensor_to_bytes pre_load prune prune_backward reset_profiler run_cmd run_shell_command "
        "save_op_compatible_info set_feed_variable set_num_threads set_paddle_lib_path set_tracer_option "
        "start_imperative_gperf_profiler stop_imperative_gperf_profiler core_suffix current_path has_avx_core "
        "has_noavx_core kAll kAllOpDetail kAve kCPU kCUDA kCalls kDefault kDisabled kMax kMin kOpDetail kTotal "
        "load_noavx print_function"
    ),
    "paddle.fluid.core_avx": (
        "AttrType BackwardStrategy BoxPS CpuPassStrategy Dataset DeviceContext DistCommunicator EventSortingKey "
        "Executor ExecutorPrepareContext FetchList FetchUnmergedList Fleet GlobalVarGetterSetterRegistry Gloo "
        "GpuPassStrategy IterableDatasetWrapper Layer LoDTensorBlockingQueue LodRankTable MkldnnQuantizerConfig "
        "MultiDeviceFeedReader NativePaddlePredictor Operator OrderedMultiDeviceFeedReader "
        "OrderedMultiDeviceLoDTensorBlockingQueue PaddlePassBuilder PaddlePlace ParallelExecutor ParallelStrategy "
        "PassBuilder PassStrategy ProfilerState ProgramDescTracer Reader Tensor Tracer TracerOption TrainerBase "
        "Variable _Scope _append_python_callable_object_and_return_id _cleanup_mmap_fds _convert_to_tensor_list "
        "_erase_process_pids _is_dygraph_debug_enabled _is_program_version_supported _remove_tensor_list_mmap_fds "
        "_set_process_pids _set_process_signal_handler _switch_tracer _throw_error_if_process_failed create_py_reader "
        "diff_tensor_shape disable_profiler dygraph_partial_grad enable_profiler from_dlpack get_fetch_variable "
        "get_grad_op_desc get_op_attrs_default_value get_variable_tensor globals has_grad_op_maker has_infer_inplace "
        "has_non_empty_grad_op_maker infer_no_need_buffer_slots init_devices init_gflags init_glog "
        "init_lod_tensor_blocking_queue is_compiled_with_brpc is_compiled_with_dist is_compiled_with_mkldnn "
        "is_profiler_enabled load_op_library op_support_gpu paddle_dtype_size paddle_tensor_to_bytes prune "
        "prune_backward reset_profiler run_cmd save_op_compatible_info set_feed_variable set_num_threads "
        "set_tracer_option start_imperative_gperf_profiler stop_imperative_gperf_profiler kAll kAllOpDetail kAve kCPU "
        "kCUDA kCalls kDefault kDisabled kMax kMin kOpDetail kTotal"
    ),
    "paddle.fluid.dataloader.dataloader_iter": (
        "ParentWatchDog _DataLoaderIterMultiProcess _DataLoaderIterSingleProcess CleanupFuncRegistrar _cleanup_mmap "
        "_set_SIGCHLD_handler MP_INDICES_CHECK_INTERVAL"
    ),
    "paddle.fluid.dataset": "BoxPSDataset FileInstantDataset",
    "paddle.fluid.dygraph": "StaticModelRunner math_op_patch parallel_helper static_runner varbase_patch_methods",
    "paddle.fluid.dygraph.base": ("CleanupFuncRegistrar param_guard program_desc_tracing_guard switch_to_static_graph"),
    "paddle.fluid.dygraph.jit": (
        "program_desc_tracing_guard switch_to_static_graph create_program_from_desc extract_vars logger"
    ),
    "paddle.fluid.dygraph.layers": "HookRemoveHelper param_guard program_desc_tracing_guard parallel_helper",
    "paddle.fluid.dygraph.learning_rate_scheduler": "_LearningRateEpochDecay",
    "paddle.fluid.dygraph.parallel": "collective parallel_helper",
    "paddle.fluid.executor": "InferAnalysisConfig InferNativeConfig FetchHandlerMonitor TrainerFactory",
    "paddle.fluid.install_check": "SimpleLayer",
    "paddle.fluid.layers": (
        "OpProtoHolder Variable LayerHelper compare_ops monkey_patch_variable collective layer_function_generator "
        "math_op_patch"
    ),
    "paddle.fluid.layers.control_flow": (
        "BlockGuardWithCompletion IfElseBlockGuard StaticRNNMemoryLink WhileGuard autodoc templatedoc "
        "copy_var_to_parent_block"
    ),
    "paddle.fluid.layers.detection": "autodoc generate_layer_fn templatedoc",
    "paddle.fluid.layers.distributions": "Distribution",
    "paddle.fluid.layers.io": (
        "BlockGuardServ ListenAndServ templatedoc DistributedMode Recv Send _copy_reader_var_ "
        "monkey_patch_reader_methods"
    ),
    "paddle.fluid.layers.loss": "templatedoc cross_entropy2 kIgnoreIndex",
    "paddle.fluid.layers.nn": (
        "PyFuncRegistry _generate_doc_string_ autodoc templatedoc tensor_array_to_tensor func op_proto"
    ),
    "paddle.fluid.layers.ops": "generate_activation_fn generate_layer_fn _elementwise_div",
    "paddle.fluid.layers.sequence_lod": "templatedoc",
    "paddle.fluid.layers.tensor": "templatedoc tensor_array_to_tensor",
    "paddle.fluid.optimizer": (
        "DGCMomentumOptimizer PipelineOptimizer find_distributed_lookup_table _LearningRateEpochDecay"
    ),
    "paddle.fluid.profiler": "NVPROF_CONFIG",
    "paddle.fluid.reader": (
        "DataLoaderBase DatasetLoader DygraphGeneratorLoader GeneratorLoader _DataLoaderIterMultiProcess "
        "_DataLoaderIterSingleProcess _copy_reader_var_ monkey_patch_reader_methods CleanupFuncRegistrar _cleanup "
        "_cleanup_mmap _set_SIGCHLD_handler multiprocess_queue_set data_loader_unique_name_generator "
        "keep_data_loader_order KEEP_DATA_LOADER_ORDER QUEUE_GET_TIMEOUT"
    ),
    "paddle.fluid.transpiler": (
        "DistributeTranspiler DistributeTranspilerConfig HashName RoundRobin collective details distribute_transpiler "
        "geo_sgd_transpiler ps_dispatcher"
    ),
    "paddle.incubate.hapi.vision.transforms.transforms": "Iterable Sequence",
    "paddle.reader.decorator": "XmapEndSignal",
    "paddle.utils": "image_util plotcurve preprocess_img preprocess_util",
    "paddle.version": "istaged",
}

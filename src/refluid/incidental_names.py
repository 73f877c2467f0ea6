"""What `refluid.incidental` finds: written by tools/list_incidental_names.py.

SOURCES has names that mean the same in every module, by the place they come from; BY_MODULE the names of each module,
with `name=place` where one means something else there.
"""

SOURCES = {
    "__future__": "absolute_import division print_function unicode_literals",
    "argparse": "ArgumentParser REMAINDER",
    "builtins": "map range xrange=range zip",
    "collections": "OrderedDict defaultdict",
    "collections.abc": "Iterable",
    "contextlib": "closing",
    "datetime": "datetime",
    "fcntl": "LOCK_EX LOCK_UN flock",
    "functools": "cmp_to_key partial reduce",
    "io": "StringIO cStringIO=StringIO",
    "itertools": "zip_longest",
    "modules": (
        "F=paddle.fluid.layers.nn Image=PIL.Image _descriptor=google.protobuf.descriptor "
        "_message=google.protobuf.message _reflection=google.protobuf.reflection "
        "_symbol_database=google.protobuf.symbol_database abc argparse ast astor atexit "
        "backward=paddle.fluid.backward base=paddle.fluid.incubate.fleet.base collections "
        "collective=paddle.fluid.layers.collective common_ops_import=paddle.common_ops_import "
        "compiler=paddle.fluid.compiler contextlib control_flow=paddle.fluid.layers.control_flow copy "
        "core=paddle.fluid.core cpt=paddle.compat cv2 data_feed_pb2=paddle.fluid.proto.data_feed_pb2 "
        "dataloader=paddle.fluid.dataloader debugger=paddle.fluid.debugger decorator "
        "descriptor_pb2=google.protobuf.descriptor_pb2 detection=paddle.fluid.layers.detection "
        "dist_transpiler=paddle.fluid.transpiler.distribute_transpiler "
        "distribute_transpiler=paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler "
        "distributed=paddle.fluid.distributed dygraph_utils=paddle.fluid.dygraph_utils "
        "enum_type_wrapper=google.protobuf.internal.enum_type_wrapper errno executor=paddle.fluid.executor "
        "fleet=paddle.fluid.distributed.fleet fleet_barrier_util=paddle.fluid.incubate.fleet.utils.fleet_barrier_util "
        "fleet_base=paddle.fluid.incubate.fleet.base.fleet_base fluid=paddle.fluid fluid_version=paddle.version "
        "fork_context=multiprocessing fp16_utils=paddle.fluid.contrib.mixed_precision.fp16_utils "
        "framework=paddle.fluid.framework framework_pb2=paddle.fluid.proto.framework_pb2 funcsigs functools gast glob "
        "gzip hashlib hdfs=paddle.fluid.incubate.fleet.utils.hdfs helper=paddle.fluid.distributed.helper "
        "imp=importlib imperate_lr=paddle.fluid.dygraph.learning_rate_scheduler "
        "imperative_base=paddle.fluid.dygraph.base importlib initializer=paddle.fluid.initializer inspect "
        "io=paddle.fluid.io itertools json launch=paddle.distributed.launch launch_ps=paddle.distributed.launch_ps "
        "layers=paddle.fluid.layers learning_rate_scheduler=paddle.fluid.dygraph.learning_rate_scheduler "
        "log_helper=paddle.fluid.log_helper logging math mode=paddle.fluid.incubate.fleet.base.mode multiprocessing "
        "nltk nn=paddle.fluid.layers.nn np=numpy numbers numpy objgraph ops=paddle.fluid.layers.ops "
        "optimizer=paddle.fluid.optimizer os paddle parallel_helper=paddle.fluid.dygraph.parallel_helper pdb pickle "
        "platform profiler=paddle.fluid.profiler ps_instance=paddle.fluid.distributed.ps_instance pt=prettytable "
        "queue random re reader=paddle.fluid.reader regularizer=paddle.fluid.regularizer requests "
        "role_maker=paddle.fluid.incubate.fleet.base.role_maker scio=scipy.io "
        "sequence_lod=paddle.fluid.layers.sequence_lod shutil signal site six slim=paddle.fluid.contrib.slim socket "
        "string struct subprocess sys tarfile tempfile tensor=paddle.fluid.layers.tensor "
        "text_format=google.protobuf.text_format textwrap threading time traceback types "
        "unique_name=paddle.fluid.unique_name utils=paddle.fluid.layers.utils warnings weakref "
        "wrapped_decorator=paddle.fluid.wrapped_decorator yaml zipfile zlib"
    ),
    "multiprocessing": "Manager cpu_count",
    "multiprocessing.context": "Process",
    "paddle.complex.helper": "complex_variable_exists is_complex is_real",
    "paddle.dataset.common": "download",
    "paddle.dataset.image": (
        "batch_images_from_tar center_crop left_right_flip load_and_transform load_image load_image_bytes random_crop "
        "resize_short simple_transform to_chw"
    ),
    "paddle.fluid.annotations": "deprecated",
    "paddle.fluid.backward": (
        "_append_grad_suffix_ _get_no_grad_set_name _infer_var_data_type_shape_ _some_in_set_ append_backward"
    ),
    "paddle.fluid.clip": "GradientClipBase GradientClipByNorm append_gradient_clip_ops error_clip_callback",
    "paddle.fluid.communicator": "Communicator",
    "paddle.fluid.compiler": "BuildStrategy CompiledProgram",
    "paddle.fluid.contrib.mixed_precision.decorator": "OptimizerWithMixedPrecision",
    "paddle.fluid.contrib.mixed_precision.fp16_lists": "AutoMixedPrecisionLists",
    "paddle.fluid.contrib.mixed_precision.fp16_utils": "rewrite_program update_loss_scaling update_role_var_grad",
    "paddle.fluid.contrib.slim.core.config": "ConfigFactory",
    "paddle.fluid.contrib.slim.core.strategy": "Strategy",
    "paddle.fluid.contrib.slim.distillation.distillation_strategy": "DistillationStrategy",
    "paddle.fluid.contrib.slim.distillation.distiller": "FSPDistiller L2Distiller SoftLabelDistiller",
    "paddle.fluid.contrib.slim.graph.executor": "SlimGraphExecutor",
    "paddle.fluid.contrib.slim.graph.graph_wrapper": "GraphWrapper OpWrapper VarWrapper",
    "paddle.fluid.contrib.slim.nas.controller_server": "ControllerServer",
    "paddle.fluid.contrib.slim.nas.light_nas_strategy": "LightNASStrategy",
    "paddle.fluid.contrib.slim.nas.lock": "lock unlock",
    "paddle.fluid.contrib.slim.nas.search_agent": "SearchAgent",
    "paddle.fluid.contrib.slim.nas.search_space": "SearchSpace",
    "paddle.fluid.contrib.slim.prune.auto_prune_strategy": "AutoPruneStrategy",
    "paddle.fluid.contrib.slim.prune.prune_strategy": "PruneStrategy SensitivePruneStrategy UniformPruneStrategy",
    "paddle.fluid.contrib.slim.prune.pruner": "Pruner StructurePruner",
    "paddle.fluid.contrib.slim.quantization.mkldnn_post_training_strategy": "MKLDNNPostTrainingQuantStrategy",
    "paddle.fluid.contrib.slim.quantization.post_training_quantization": (
        "PostTrainingQuantization WeightQuantization"
    ),
    "paddle.fluid.contrib.slim.quantization.qat2_int8_mkldnn_pass": "Qat2Int8MkldnnPass",
    "paddle.fluid.contrib.slim.quantization.qat_int8_mkldnn_pass": "QatInt8MkldnnPass",
    "paddle.fluid.contrib.slim.quantization.quantization_pass": (
        "AddQuantDequantPass ConvertToInt8Pass OutScaleForInferencePass OutScaleForTrainingPass "
        "QuantizationFreezePass QuantizationTransformPass TransformForMobilePass _get_op_input_var_names "
        "_get_op_output_var_names _out_scale_op_list"
    ),
    "paddle.fluid.contrib.slim.quantization.quantization_strategy": "QuantizationStrategy",
    "paddle.fluid.contrib.slim.searcher.controller": "EvolutionaryController SAController",
    "paddle.fluid.contrib.utils.hdfs_utils": "HDFSClient",
    "paddle.fluid.core": "CPUPlace EOFException VarDesc",
    "paddle.fluid.data": "data",
    "paddle.fluid.data_feeder": (
        "BatchedTensorProvider DataFeeder DataToLoDTensorConverter check_dtype check_type check_variable_and_dtype "
        "convert_dtype"
    ),
    "paddle.fluid.dataloader.batch_sampler": "BatchSampler",
    "paddle.fluid.dataloader.dataset": "Dataset",
    "paddle.fluid.dataset": "DatasetBase InMemoryDataset",
    "paddle.fluid.device_worker": "DownpourSGD DownpourSGDOPT Hogwild Section",
    "paddle.fluid.distribute_lookup_table": "find_distributed_lookup_table",
    "paddle.fluid.dygraph.base": "no_grad switch_to_static_graph to_variable",
    "paddle.fluid.dygraph.dygraph_to_static.ast_transformer": "convert_to_static",
    "paddle.fluid.dygraph.dygraph_to_static.program_translator": "ProgramTranslator",
    "paddle.fluid.dygraph.dygraph_to_static.utils": "ast_to_source_code",
    "paddle.fluid.dygraph.layer_object_helper": "LayerObjectHelper",
    "paddle.fluid.dygraph.layers": "Layer",
    "paddle.fluid.dygraph.learning_rate_scheduler": "LearningRateDecay _LearningRateEpochDecay",
    "paddle.fluid.dygraph.parallel": "ParallelEnv",
    "paddle.fluid.dygraph.tracer": "Tracer",
    "paddle.fluid.evaluator": "Evaluator",
    "paddle.fluid.executor": "Executor global_scope scope_guard",
    "paddle.fluid.framework": (
        "Block ComplexVariable IrGraph IrNode OpProtoHolder Operator ParamBase Parameter Program Variable _cpu_num "
        "_cuda_ids _current_expected_place _dygraph_guard _dygraph_tracer _varbase_creator convert_np_dtype_to_dtype_ "
        "cpu_places cuda_places default_main_program default_startup_program device_guard dtype_is_floating "
        "dygraph_only grad_var_name in_dygraph_mode name_scope program_guard"
    ),
    "paddle.fluid.graphviz": "Graph GraphPreviewGenerator",
    "paddle.fluid.incubate.fleet.base.fleet_base": "DistributedOptimizer Fleet",
    "paddle.fluid.incubate.fleet.base.mode": "Mode",
    "paddle.fluid.incubate.fleet.base.role_maker": "MPISymetricRoleMaker RoleMakerBase UserDefinedRoleMaker",
    "paddle.fluid.initializer": (
        "Constant=ConstantInitializer Initializer Normal=NormalInitializer NumpyArrayInitializer "
        "Xavier=XavierInitializer"
    ),
    "paddle.fluid.io": "load_inference_model save_inference_model save_persistables",
    "paddle.fluid.layer_helper": "LayerHelper",
    "paddle.fluid.layer_helper_base": "LayerHelperBase",
    "paddle.fluid.layers.control_flow": "BlockGuard StaticRNN equal",
    "paddle.fluid.layers.io": "double_buffer",
    "paddle.fluid.layers.layer_function_generator": (
        "_generate_doc_string_ autodoc generate_activation_fn generate_layer_fn templatedoc"
    ),
    "paddle.fluid.layers.loss": "cross_entropy softmax_with_cross_entropy",
    "paddle.fluid.layers.nn": (
        "autoincreased_step_counter logical_and logical_not logical_or mean reshape scale slice"
    ),
    "paddle.fluid.layers.ops": "exp square",
    "paddle.fluid.layers.tensor": "assign cast concat fill_constant tensor_array_to_tensor zeros",
    "paddle.fluid.layers.utils": (
        "assert_same_structure convert_to_list copy_mutable_vars flatten hold_mutable_vars is_sequence map_structure "
        "pack_sequence_as"
    ),
    "paddle.fluid.log_helper": "get_logger",
    "paddle.fluid.multiprocess_utils": "CleanupFuncRegistrar",
    "paddle.fluid.optimizer": "Optimizer SGD=SGDOptimizer",
    "paddle.fluid.parallel_executor": "ParallelExecutor",
    "paddle.fluid.param_attr": "ParamAttr WeightNormParamAttr",
    "paddle.fluid.regularizer": "WeightDecayRegularizer append_regularization_ops",
    "paddle.fluid.trainer_desc": "DistMultiTrainer MultiTrainer PipelineTrainer",
    "paddle.fluid.trainer_factory": "FetchHandlerMonitor TrainerFactory",
    "paddle.fluid.transpiler.details.checkport": "wait_server_ready",
    "paddle.fluid.transpiler.details.program_utils": "delete_ops find_op_by_output_arg",
    "paddle.fluid.transpiler.details.ufind": "UnionFind",
    "paddle.fluid.transpiler.details.vars_distributed": "VarStruct VarsDistributed",
    "paddle.fluid.transpiler.distribute_transpiler": (
        "DistributeTranspiler DistributeTranspilerConfig DistributedMode OriginTranspiler=DistributeTranspiler "
        "ServerRuntimeConfig same_or_split_var slice_variable"
    ),
    "paddle.fluid.transpiler.ps_dispatcher": "PSDispatcher RoundRobin",
    "paddle.fluid.unique_name": "UniqueNameGenerator",
    "paddle.fluid.wrapped_decorator": "signature_safe_contextmanager wrap_decorator",
    "paddle.reader.decorator": (
        "ComposeNotAligned buffered cache chain compose firstn map_readers multiprocess_reader shuffle xmap_readers"
    ),
    "pathlib": "PurePosixPath",
    "queue": "Queue",
    "refluid.contrib.slim.core.compressor": "Compressor",
    "scipy.optimize._minpack_py": "leastsq",
    "six": "string_types",
    "sys": "version",
    "threading": "Thread",
}

BY_MODULE = {
    "paddle": "common_ops_import os paddle",
    "paddle.common_ops_import": (
        "Constant LayerHelper OpProtoHolder ParamAttr VarDesc Variable _dygraph_tracer _varbase_creator check_dtype "
        "check_type check_variable_and_dtype convert_dtype convert_np_dtype_to_dtype_ core default_main_program "
        "device_guard dygraph_only dygraph_utils fill_constant fluid in_dygraph_mode numpy reduce scale templatedoc "
        "utils warnings"
    ),
    "paddle.compat": "math six",
    "paddle.complex.helper": "framework",
    "paddle.complex.tensor.linalg": "ComplexVariable complex_variable_exists is_complex is_real layers",
    "paddle.complex.tensor.manipulation": (
        "ComplexVariable Constant LayerHelper OpProtoHolder ParamAttr VarDesc Variable check_dtype check_type "
        "check_variable_and_dtype complex_variable_exists convert_dtype convert_np_dtype_to_dtype_ core "
        "default_main_program device_guard dygraph_only dygraph_utils fill_constant fluid in_dygraph_mode is_complex "
        "is_real layers numpy reduce scale templatedoc utils warnings"
    ),
    "paddle.complex.tensor.math": (
        "ComplexVariable Constant LayerHelper OpProtoHolder ParamAttr VarDesc Variable check_dtype check_type "
        "check_variable_and_dtype complex_variable_exists convert_dtype convert_np_dtype_to_dtype_ core "
        "default_main_program device_guard dygraph_only dygraph_utils fill_constant fluid in_dygraph_mode is_complex "
        "is_real layers numpy reduce scale templatedoc utils warnings"
    ),
    "paddle.dataset": "paddle",
    "paddle.dataset.cifar": "itertools numpy paddle pickle print_function six tarfile",
    "paddle.dataset.common": "errno glob hashlib importlib os paddle pickle print_function requests shutil six sys",
    "paddle.dataset.conll05": "cpt gzip itertools paddle print_function range tarfile zip",
    "paddle.dataset.flowers": (
        "ComposeNotAligned batch_images_from_tar buffered cache center_crop chain compose cpt cpu_count download "
        "firstn functools itertools left_right_flip load_and_transform load_image load_image_bytes map_readers "
        "multiprocess_reader np os pickle print_function random_crop resize_short scio shuffle simple_transform six "
        "tarfile to_chw xmap_readers"
    ),
    "paddle.dataset.image": "cv2 np os pickle print_function six subprocess sys tarfile",
    "paddle.dataset.imdb": "collections paddle print_function re six string tarfile",
    "paddle.dataset.imikolov": "collections paddle print_function six tarfile",
    "paddle.dataset.mnist": "gzip numpy paddle print_function range struct",
    "paddle.dataset.movielens": "cpt functools np paddle print_function random re six zipfile",
    "paddle.dataset.mq2007": "functools np os print_function",
    "paddle.dataset.sentiment": (
        "chain=itertools:chain cmp_to_key collections nltk os paddle print_function six zipfile"
    ),
    "paddle.dataset.uci_housing": "np os paddle print_function six tarfile tempfile",
    "paddle.dataset.voc2012": (
        "Image batch_images_from_tar center_crop download io=io left_right_flip load_and_transform load_image "
        "load_image_bytes np print_function random_crop resize_short simple_transform tarfile to_chw"
    ),
    "paddle.dataset.wmt14": "cpt gzip paddle print_function six tarfile",
    "paddle.dataset.wmt16": "cpt defaultdict gzip os paddle print_function six tarfile",
    "paddle.distributed": "launch launch_ps",
    "paddle.distributed.cloud_utils": "os paddle",
    "paddle.distributed.fs_wrapper": "PurePosixPath abc fluid os shutil sys",
    "paddle.distributed.launch": (
        "ArgumentParser REMAINDER closing copy fluid functools logging os paddle print_function signal six socket "
        "subprocess sys time version"
    ),
    "paddle.distributed.launch_ps": "ArgumentParser REMAINDER copy os print_function subprocess sys unicode_literals",
    "paddle.distributed.utils": "closing copy functools logging os signal socket subprocess sys time",
    "paddle.fluid": "distributed os print_function sys wrapped_decorator",
    "paddle.fluid.annotations": "functools print_function sys",
    "paddle.fluid.average": "np print_function warnings",
    "paddle.fluid.backward": (
        "check_type collections copy core cpt framework framework_pb2 log_helper logging paddle print_function six "
        "unique_name"
    ),
    "paddle.fluid.clip": (
        "copy core framework functools imperative_base layers name_scope print_function six warnings"
    ),
    "paddle.fluid.communicator": "DistributedMode Program core global_scope",
    "paddle.fluid.compiler": "core cpt cpu_places cuda_places framework multiprocessing os six sys",
    "paddle.fluid.contrib": "Compressor OrderedDict print_function slim",
    "paddle.fluid.contrib.decoder": "print_function",
    "paddle.fluid.contrib.decoder.beam_search_decoder": (
        "LayerHelper Variable core framework layers np print_function signature_safe_contextmanager six unique_name"
    ),
    "paddle.fluid.contrib.extend_optimizer": "print_function",
    "paddle.fluid.contrib.extend_optimizer.extend_optimizer_with_weight_decay": "framework paddle",
    "paddle.fluid.contrib.layers": "print_function",
    "paddle.fluid.contrib.layers.metric_op": (
        "Constant LayerHelper Normal ParamAttr Variable nn print_function warnings"
    ),
    "paddle.fluid.contrib.layers.nn": (
        "Constant LayerHelper Normal NumpyArrayInitializer Variable check_dtype check_type check_variable_and_dtype "
        "convert_dtype convert_np_dtype_to_dtype_ inspect np os print_function reshape six slice unique_name utils "
        "warnings"
    ),
    "paddle.fluid.contrib.layers.rnn_impl": "Layer LayerObjectHelper StaticRNN copy layers unique_name",
    "paddle.fluid.contrib.memory_usage_calc": "Program Variable core print_function six",
    "paddle.fluid.contrib.mixed_precision": "print_function",
    "paddle.fluid.contrib.mixed_precision.decorator": (
        "AutoMixedPrecisionLists default_main_program default_startup_program fp16_utils layers rewrite_program "
        "unique_name update_loss_scaling update_role_var_grad"
    ),
    "paddle.fluid.contrib.mixed_precision.fp16_lists": "copy",
    "paddle.fluid.contrib.mixed_precision.fp16_utils": "core layers print_function",
    "paddle.fluid.contrib.model_stat": "OrderedDict",
    "paddle.fluid.contrib.op_frequence": "OrderedDict Program print_function",
    "paddle.fluid.contrib.quantize": "print_function",
    "paddle.fluid.contrib.quantize.quantize_transpiler": (
        "Constant LayerHelper ParamAttr Variable autoincreased_step_counter collections core default_main_program "
        "default_startup_program global_scope np program_guard unique_name"
    ),
    "paddle.fluid.contrib.reader": "print_function",
    "paddle.fluid.contrib.reader.distributed_reader": "os print_function",
    "paddle.fluid.contrib.slim.core.compressor": (
        "CPUPlace ConfigFactory DataFeeder EOFException GraphWrapper Iterable OpWrapper SlimGraphExecutor VarWrapper "
        "Variable compiler functools get_logger io logging np os pickle profiler scope_guard sys time traceback"
    ),
    "paddle.fluid.contrib.slim.core.config": (
        "AddQuantDequantPass AutoPruneStrategy ControllerServer ConvertToInt8Pass DistillationStrategy "
        "EvolutionaryController FSPDistiller L2Distiller LightNASStrategy MKLDNNPostTrainingQuantStrategy OrderedDict "
        "OutScaleForInferencePass OutScaleForTrainingPass PostTrainingQuantization PruneStrategy Pruner "
        "Qat2Int8MkldnnPass QatInt8MkldnnPass QuantizationFreezePass QuantizationStrategy QuantizationTransformPass "
        "SAController SearchAgent SearchSpace SensitivePruneStrategy SoftLabelDistiller Strategy StructurePruner "
        "TransformForMobilePass UniformPruneStrategy WeightQuantization funcsigs inspect yaml"
    ),
    "paddle.fluid.contrib.slim.distillation.distillation_strategy": (
        "Executor Program Strategy Variable get_logger logging program_guard"
    ),
    "paddle.fluid.contrib.slim.distillation.distiller": "Executor Program layers optimizer program_guard regularizer",
    "paddle.fluid.contrib.slim.graph.executor": "CompiledProgram DataFeeder GraphWrapper executor",
    "paddle.fluid.contrib.slim.graph.graph_wrapper": (
        "Executor Iterable OrderedDict Parameter Program Variable compiler copy io load_inference_model np os pickle "
        "program_guard save_inference_model save_persistables"
    ),
    "paddle.fluid.contrib.slim.nas": "flock os",
    "paddle.fluid.contrib.slim.nas.controller_server": "Thread get_logger logging socket",
    "paddle.fluid.contrib.slim.nas.light_nas_strategy": (
        "ControllerServer Executor GraphWrapper SearchAgent Strategy functools get_logger lock logging re socket unlock"
    ),
    "paddle.fluid.contrib.slim.nas.lock": "LOCK_EX LOCK_UN flock os",
    "paddle.fluid.contrib.slim.nas.search_agent": "get_logger logging socket",
    "paddle.fluid.contrib.slim.prune.auto_prune_strategy": "PruneStrategy copy functools get_logger logging re",
    "paddle.fluid.contrib.slim.prune.prune_strategy": (
        "GraphWrapper OpWrapper Parameter Program Strategy VarWrapper copy get_logger layers leastsq logging np os "
        "pickle program_guard pt re sys"
    ),
    "paddle.fluid.contrib.slim.prune.pruner": "collections layers np",
    "paddle.fluid.contrib.slim.quantization": "print_function",
    "paddle.fluid.contrib.slim.quantization.mkldnn_post_training_strategy": (
        "Strategy core get_logger logging np os six"
    ),
    "paddle.fluid.contrib.slim.quantization.post_training_quantization": (
        "AddQuantDequantPass Executor IrGraph QuantizationFreezePass QuantizationTransformPass "
        "_get_op_input_var_names _get_op_output_var_names _out_scale_op_list core framework get_logger global_scope "
        "io logging math np os re"
    ),
    "paddle.fluid.contrib.slim.quantization.qat2_int8_mkldnn_pass": "IrGraph core np",
    "paddle.fluid.contrib.slim.quantization.qat_int8_mkldnn_pass": "IrGraph IrNode core np",
    "paddle.fluid.contrib.slim.quantization.quantization_pass": (
        "IrGraph IrNode Operator Program collections core cpt data default_startup_program mean np program_guard "
        "scope_guard unique_name"
    ),
    "paddle.fluid.contrib.slim.quantization.quantization_strategy": (
        "AddQuantDequantPass BuildStrategy CompiledProgram ConvertToInt8Pass Executor IrGraph "
        "OutScaleForInferencePass OutScaleForTrainingPass Program QuantizationFreezePass QuantizationTransformPass "
        "Strategy TransformForMobilePass Variable core get_logger io logging np scope_guard sys"
    ),
    "paddle.fluid.contrib.slim.searcher.controller": "copy get_logger logging math np",
    "paddle.fluid.contrib.utils": "print_function",
    "paddle.fluid.contrib.utils.hdfs_utils": (
        "copy datetime errno get_logger logging multiprocessing os re subprocess sys"
    ),
    "paddle.fluid.contrib.utils.lookup_table_utils": (
        "Program core get_logger io logging os paddle print_function time"
    ),
    "paddle.fluid.core": "os platform site sys warnings",
    "paddle.fluid.data": "LayerHelper check_dtype check_type core np six",
    "paddle.fluid.data_feed_desc": "data_feed_pb2 text_format",
    "paddle.fluid.data_feeder": (
        "Variable _cpu_num _cuda_ids _current_expected_place core default_main_program in_dygraph_mode "
        "multiprocessing np os print_function range six warnings xrange zip"
    ),
    "paddle.fluid.dataloader": "print_function",
    "paddle.fluid.dataloader.batch_sampler": "Dataset division np print_function",
    "paddle.fluid.dataloader.dataloader_iter": (
        "CleanupFuncRegistrar core in_dygraph_mode itertools logging multiprocessing np os queue signal six sys "
        "threading time"
    ),
    "paddle.fluid.dataloader.dataset": "paddle print_function",
    "paddle.fluid.dataset": "core data_feed_pb2 text_format",
    "paddle.fluid.debugger": (
        "GraphPreviewGenerator LayerHelper Program Variable core default_main_program framework_pb2 io os "
        "print_function random re six sys text_format unique_name"
    ),
    "paddle.fluid.default_scope_funcs": "paddle print_function threading",
    "paddle.fluid.device_worker": "print_function version=paddle.fluid.incubate.fleet.parameter_server.version",
    "paddle.fluid.distributed": "fleet helper ps_instance",
    "paddle.fluid.distributed.fleet": "core ps_instance sys",
    "paddle.fluid.dygraph": "core defaultdict framework print_function profiler=paddle.fluid.dygraph.profiler six",
    "paddle.fluid.dygraph.backward_strategy": "core",
    "paddle.fluid.dygraph.base": (
        "CleanupFuncRegistrar Tracer contextlib core decorator framework functools logging np objgraph "
        "signature_safe_contextmanager sys wrap_decorator"
    ),
    "paddle.fluid.dygraph.checkpoint": (
        "ParamBase Parameter Variable collections core default_main_program dygraph_only in_dygraph_mode "
        "learning_rate_scheduler os pickle print_function six warnings"
    ),
    "paddle.fluid.dygraph.container": "Layer OrderedDict Parameter",
    "paddle.fluid.dygraph.dygraph_to_static": "print_function",
    "paddle.fluid.dygraph.dygraph_to_static.ast_transformer": "gast inspect print_function textwrap",
    "paddle.fluid.dygraph.dygraph_to_static.convert_call_func": (
        "Layer ProgramTranslator collections copy functools inspect numpy pdb print_function re six types"
    ),
    "paddle.fluid.dygraph.dygraph_to_static.partial_program": (
        "backward core cpt framework layers=paddle.fluid.dygraph.layers np print_function switch_to_static_graph"
    ),
    "paddle.fluid.dygraph.dygraph_to_static.program_translator": (
        "ast_to_source_code check_type collections convert_to_static core executor framework gast inspect "
        "layers=paddle.fluid.dygraph.layers logging np print_function scope_guard switch_to_static_graph textwrap "
        "threading unique_name"
    ),
    "paddle.fluid.dygraph.dygraph_to_static.utils": (
        "ast astor atexit copy gast imp inspect os print_function six tempfile"
    ),
    "paddle.fluid.dygraph.jit": (
        "Block CompiledProgram Executor Layer Program ProgramTranslator Variable _current_expected_place "
        "_dygraph_guard _dygraph_tracer core dygraph_only in_dygraph_mode logging print_function scope_guard "
        "switch_to_static_graph wrap_decorator"
    ),
    "paddle.fluid.dygraph.layer_object_helper": (
        "LayerHelperBase ParamAttr Parameter copy core in_dygraph_mode print_function six zip"
    ),
    "paddle.fluid.dygraph.layers": (
        "LayerObjectHelper ParamAttr collections contextlib copy core framework np parallel_helper re six sys "
        "unique_name warnings weakref"
    ),
    "paddle.fluid.dygraph.learning_rate_scheduler": "Variable check_type math print_function unique_name warnings",
    "paddle.fluid.dygraph.nn": (
        "Constant F LayerObjectHelper Normal NumpyArrayInitializer OpProtoHolder ParamAttr Parameter Variable "
        "_dygraph_tracer _varbase_creator check_dtype check_type check_variable_and_dtype convert_dtype core "
        "cross_entropy default_main_program dygraph_utils in_dygraph_mode layers=paddle.fluid.dygraph.layers logging "
        "np numbers print_function reduce square unique_name utils"
    ),
    "paddle.fluid.dygraph.parallel": (
        "OrderedDict collective core framework layers=paddle.fluid.dygraph.layers no_grad np os parallel_helper six "
        "to_variable"
    ),
    "paddle.fluid.dygraph.parallel_helper": "Parameter collective os",
    "paddle.fluid.dygraph.profiler": "core print_function",
    "paddle.fluid.dygraph.static_runner": (
        "backward core cpt framework layers=paddle.fluid.dygraph.layers logging nn np os print_function six "
        "switch_to_static_graph"
    ),
    "paddle.fluid.dygraph.tracer": "core defaultdict framework print_function six",
    "paddle.fluid.dygraph_utils": "core dygraph_only",
    "paddle.fluid.evaluator": (
        "Constant LayerHelper Program Variable detection layers np print_function program_guard unique_name warnings"
    ),
    "paddle.fluid.executor": (
        "FetchHandlerMonitor Operator Program TrainerFactory Variable compiler convert_dtype "
        "convert_np_dtype_to_dtype_ copy core cpt default_main_program logging multiprocessing np os print_function "
        "signature_safe_contextmanager six sys warnings"
    ),
    "paddle.fluid.framework": (
        "Iterable collections contextlib cpt defaultdict fluid_version framework_pb2 logging multiprocessing np os "
        "print_function re signature_safe_contextmanager six subprocess sys traceback unique_name warnings "
        "wrap_decorator"
    ),
    "paddle.fluid.graphviz": "functools logging os print_function random six subprocess",
    "paddle.fluid.incubate.data_generator": "os sys",
    "paddle.fluid.incubate.fleet": (
        "base collective=paddle.fluid.incubate.fleet.collective utils=paddle.fluid.incubate.fleet.utils"
    ),
    "paddle.fluid.incubate.fleet.base": "fleet_base mode role_maker",
    "paddle.fluid.incubate.fleet.base.fleet_base": (
        "Executor MPISymetricRoleMaker OptimizerWithMixedPrecision RoleMakerBase SGD UserDefinedRoleMaker abc fluid "
        "mode print_function"
    ),
    "paddle.fluid.incubate.fleet.base.mode": "print_function",
    "paddle.fluid.incubate.fleet.base.role_maker": "fluid multiprocessing os print_function sys time",
    "paddle.fluid.incubate.fleet.collective": (
        "CompiledProgram DistributedOptimizer Executor Fleet Mode ParallelExecutor Program compiler dist_transpiler "
        "fluid io json logging os re shutil six sys"
    ),
    "paddle.fluid.incubate.fleet.parameter_server": "distribute_transpiler",
    "paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler": (
        "Communicator CompiledProgram DistributedOptimizer Executor Fleet MPISymetricRoleMaker Mode Optimizer "
        "OriginTranspiler ParallelExecutor Program default_main_program default_startup_program io os warnings"
    ),
    "paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler.distributed_strategy": (
        "DistributeTranspilerConfig DistributedMode ServerRuntimeConfig fluid os"
    ),
    "paddle.fluid.incubate.fleet.parameter_server.version": "print_function",
    "paddle.fluid.incubate.fleet.utils": "fleet_barrier_util hdfs utils=paddle.fluid.incubate.fleet.utils.utils",
    "paddle.fluid.incubate.fleet.utils.fleet_barrier_util": (
        "HDFSClient fleet=paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler:fleet os time"
    ),
    "paddle.fluid.incubate.fleet.utils.hdfs": "copy datetime errno logging multiprocessing os re subprocess sys time",
    "paddle.fluid.incubate.fleet.utils.utils": (
        "OrderedDict Program absolute_import core debugger fluid framework_pb2 get_logger logging np os "
        "print_function subprocess sys text_format"
    ),
    "paddle.fluid.initializer": (
        "VarDesc check_dtype check_type check_variable_and_dtype core framework in_dygraph_mode np print_function "
        "signature_safe_contextmanager unique_name"
    ),
    "paddle.fluid.input": (
        "LayerHelper Variable check_dtype check_variable_and_dtype in_dygraph_mode print_function warnings"
    ),
    "paddle.fluid.install_check": (
        "Constant Layer ParamAttr Program backward compiler core cpu_places cuda_places executor layers logging "
        "nn=paddle.fluid.dygraph.nn np optimizer os program_guard unique_name"
    ),
    "paddle.fluid.io": (
        "CompiledProgram Evaluator Executor Parameter Program Variable contextlib core cpt dataloader "
        "default_main_program default_startup_program errno get_logger global_scope layers logging np os paddle "
        "pickle print_function program_guard reader reduce six unique_name warnings"
    ),
    "paddle.fluid.layer_helper": (
        "Constant LayerHelperBase OpProtoHolder ParamAttr Parameter Xavier copy core dtype_is_floating "
        "in_dygraph_mode print_function six unique_name zip"
    ),
    "paddle.fluid.layer_helper_base": (
        "ParamAttr Variable WeightNormParamAttr _current_expected_place copy core default_main_program "
        "default_startup_program in_dygraph_mode np print_function unique_name"
    ),
    "paddle.fluid.layers": "LayerHelper OpProtoHolder Variable core print_function unique_name",
    "paddle.fluid.layers.collective": "LayerHelper Variable print_function unique_name",
    "paddle.fluid.layers.control_flow": (
        "LayerHelper Operator Program Variable _infer_var_data_type_shape_ assert_same_structure assign autodoc cast "
        "check_dtype check_type check_variable_and_dtype convert_dtype copy_mutable_vars core cpt fill_constant "
        "hold_mutable_vars in_dygraph_mode logical_and logical_not logical_or map_structure numpy partial "
        "print_function reduce signature_safe_contextmanager six templatedoc unique_name warnings"
    ),
    "paddle.fluid.layers.detection": (
        "LayerHelper Variable autodoc check_dtype check_type check_variable_and_dtype convert_dtype cpt "
        "generate_layer_fn math nn np ops print_function reduce six softmax_with_cross_entropy templatedoc tensor"
    ),
    "paddle.fluid.layers.device": "LayerHelper autodoc deprecated print_function unique_name",
    "paddle.fluid.layers.distributions": (
        "check_dtype check_type check_variable_and_dtype control_flow convert_dtype math nn np ops print_function "
        "tensor warnings"
    ),
    "paddle.fluid.layers.io": (
        "BlockGuard DataFeeder DistributedMode LayerHelper Program Variable check_dtype check_type "
        "convert_np_dtype_to_dtype_ core default_main_program default_startup_program global_scope logging "
        "multiprocessing os print_function program_guard signature_safe_contextmanager six sys templatedoc threading "
        "unique_name=paddle.fluid.unique_name:generate"
    ),
    "paddle.fluid.layers.layer_function_generator": (
        "LayerHelper OpProtoHolder Variable cStringIO check_variable_and_dtype convert_np_dtype_to_dtype_ core "
        "framework_pb2 functools in_dygraph_mode print_function re string warnings"
    ),
    "paddle.fluid.layers.learning_rate_scheduler": (
        "Parameter Variable check_type check_variable_and_dtype control_flow default_main_program imperate_lr "
        "in_dygraph_mode math name_scope nn numbers ops print_function tensor unique_name"
    ),
    "paddle.fluid.layers.loss": (
        "Constant LayerHelper NumpyArrayInitializer ParamAttr Variable check_type check_variable_and_dtype core equal "
        "in_dygraph_mode nn np partial print_function reduce square templatedoc"
    ),
    "paddle.fluid.layers.metric_op": (
        "Constant LayerHelper Normal ParamAttr Variable _varbase_creator check_variable_and_dtype core "
        "in_dygraph_mode nn print_function warnings"
    ),
    "paddle.fluid.layers.nn": (
        "Constant LayerHelper Normal NumpyArrayInitializer OpProtoHolder ParamAttr Variable _dygraph_tracer "
        "_generate_doc_string_ _varbase_creator assign autodoc cast check_dtype check_type check_variable_and_dtype "
        "concat convert_dtype convert_np_dtype_to_dtype_ core default_main_program device_guard dygraph_only "
        "dygraph_utils exp fill_constant in_dygraph_mode inspect np os paddle print_function reduce six sys "
        "templatedoc tensor_array_to_tensor unique_name utils warnings zeros"
    ),
    "paddle.fluid.layers.ops": (
        "Variable check_dtype check_type check_variable_and_dtype convert_dtype convert_np_dtype_to_dtype_ core "
        "generate_activation_fn generate_layer_fn os print_function"
    ),
    "paddle.fluid.layers.rnn": (
        "LayerHelper ParamAttr Variable assert_same_structure check_dtype check_type check_variable_and_dtype "
        "collections control_flow convert_dtype convert_to_list copy copy_mutable_vars core default_main_program "
        "flatten hold_mutable_vars in_dygraph_mode is_sequence map_structure nn np pack_sequence_as partial "
        "print_function reduce sequence_lod six sys tensor utils"
    ),
    "paddle.fluid.layers.sequence_lod": (
        "LayerHelper VarDesc Variable check_dtype check_type check_variable_and_dtype in_dygraph_mode print_function "
        "templatedoc"
    ),
    "paddle.fluid.layers.tensor": (
        "Constant Initializer LayerHelper OpProtoHolder ParamAttr VarDesc Variable _varbase_creator check_dtype "
        "check_type check_variable_and_dtype convert_dtype convert_np_dtype_to_dtype_ core device_guard "
        "in_dygraph_mode numpy print_function reduce six templatedoc utils warnings"
    ),
    "paddle.fluid.layers.utils": (
        "LayerHelper Variable check_dtype check_type check_variable_and_dtype collections convert_dtype copy np "
        "print_function six"
    ),
    "paddle.fluid.lod_tensor": "DataToLoDTensorConverter core np print_function",
    "paddle.fluid.log_helper": "logging print_function",
    "paddle.fluid.metrics": (
        "Constant LayerHelper Program Variable copy detection layers np print_function program_guard six unique_name "
        "warnings"
    ),
    "paddle.fluid.multiprocess_utils": "atexit core queue signal six sys",
    "paddle.fluid.net_drawer": "Graph argparse core defaultdict framework_pb2 get_logger json logging print_function",
    "paddle.fluid.nets": "check_variable_and_dtype convert_dtype layers print_function six",
    "paddle.fluid.op": "core framework_pb2 np print_function six",
    "paddle.fluid.optimizer": (
        "Constant GradientClipBase GradientClipByNorm LayerHelper LearningRateDecay Program Variable "
        "_LearningRateEpochDecay _append_grad_suffix_ _get_no_grad_set_name _some_in_set_ append_backward "
        "append_gradient_clip_ops append_regularization_ops core cpt default_main_program default_startup_program "
        "defaultdict device_guard error_clip_callback find_distributed_lookup_table framework imperative_base layers "
        "logging name_scope no_grad np ops print_function program_guard reduce signature_safe_contextmanager tensor "
        "unique_name"
    ),
    "paddle.fluid.parallel_executor": "check_type compiler core executor framework print_function sys",
    "paddle.fluid.param_attr": (
        "Constant Initializer WeightDecayRegularizer Xavier check_type print_function six sys warnings"
    ),
    "paddle.fluid.profiler": "core os print_function signature_safe_contextmanager six",
    "paddle.fluid.proto": "profiler=paddle.fluid.proto.profiler",
    "paddle.fluid.proto.data_feed_pb2": "_descriptor _message _reflection _symbol_database descriptor_pb2 sys",
    "paddle.fluid.proto.framework_pb2": (
        "_descriptor _message _reflection _symbol_database descriptor_pb2 enum_type_wrapper sys"
    ),
    "paddle.fluid.proto.profiler.profiler_pb2": (
        "_descriptor _message _reflection _symbol_database descriptor_pb2 sys"
    ),
    "paddle.fluid.reader": (
        "BatchSampler BatchedTensorProvider CleanupFuncRegistrar DataFeeder Dataset DatasetBase InMemoryDataset "
        "Program UniqueNameGenerator Variable _current_expected_place core cpu_places default_main_program "
        "default_startup_program double_buffer global_scope in_dygraph_mode logging multiprocessing np os paddle "
        "program_guard queue signal six sys threading"
    ),
    "paddle.fluid.regularizer": "_varbase_creator core framework in_dygraph_mode logging print_function",
    "paddle.fluid.trainer_desc": "os sys",
    "paddle.fluid.trainer_factory": (
        "DistMultiTrainer DownpourSGD DownpourSGDOPT Hogwild Manager MultiTrainer PipelineTrainer Process Section "
        "Variable get_logger logging np threading time"
    ),
    "paddle.fluid.transpiler": "print_function",
    "paddle.fluid.transpiler.collective": (
        "Program collections core default_main_program default_startup_program logging math np print_function reduce "
        "six sys unique_name wait_server_ready"
    ),
    "paddle.fluid.transpiler.details": "Variable closing core paddle print_function six socket sys time",
    "paddle.fluid.transpiler.details.checkport": "closing socket string_types sys time",
    "paddle.fluid.transpiler.details.program_utils": "core paddle print_function six",
    "paddle.fluid.transpiler.details.ufind": "print_function",
    "paddle.fluid.transpiler.details.vars_distributed": "Variable print_function",
    "paddle.fluid.transpiler.distribute_transpiler": (
        "Block Parameter Program UnionFind VarStruct VarsDistributed collections "
        "collective=paddle.fluid.transpiler.collective core default_main_program default_startup_program delete_ops "
        "find_distributed_lookup_table find_op_by_output_arg framework grad_var_name initializer logging math np os "
        "print_function reduce six sys unique_name wait_server_ready"
    ),
    "paddle.fluid.transpiler.geo_sgd_transpiler": (
        "Block DistributeTranspiler DistributeTranspilerConfig DistributedMode PSDispatcher Parameter Program "
        "RoundRobin ServerRuntimeConfig VarsDistributed collections core default_main_program default_startup_program "
        "delete_ops find_distributed_lookup_table framework np print_function same_or_split_var six slice_variable "
        "sys wait_server_ready"
    ),
    "paddle.fluid.transpiler.memory_optimization_transpiler": "logging",
    "paddle.fluid.transpiler.ps_dispatcher": "print_function",
    "paddle.fluid.unique_name": "collections print_function signature_safe_contextmanager six sys",
    "paddle.fluid.wrapped_decorator": "contextlib decorator",
    "paddle.incubate.hapi.distributed": "BatchSampler ParallelEnv absolute_import division math np print_function",
    "paddle.incubate.hapi.vision.transforms.transforms": "collections cv2 division np random sys",
    "paddle.reader": "paddle",
    "paddle.reader.decorator": (
        "Queue Thread cpt fork_context itertools map multiprocessing random six subprocess sys zip zip_longest zlib"
    ),
    "paddle.sysconfig": "os",
    "paddle.utils.image_util": "Image StringIO np",
    "paddle.utils.plot": "os six",
}

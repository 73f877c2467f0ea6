"""What `refluid.deferred` finds: written by tools/list_deferred_names.py.

BY_MODULE has the names of each module by the module that they come from, with `name=other` where they have another name
there; those that a package has from itself are its modules.
"""

BY_MODULE = {
    "paddle": {
        "paddle": (
            "compat complex dataset declarative device distributed distribution fluid framework imperative incubate "
            "io metric nn optimizer reader regularizer static sysconfig tensor utils version"
        ),
        "paddle.framework": (
            "BuildStrategy CPUPlace CUDAPinnedPlace CUDAPlace CompiledProgram ExecutionStrategy Executor "
            "ParallelExecutor ParamAttr Print Program Variable WeightNormParamAttr append_backward create_global_var "
            "create_parameter default_main_program default_startup_program global_scope gradients manual_seed "
            "name_scope program_guard py_func scope_guard"
        ),
        "paddle.incubate": "hapi",
        "paddle.tensor": (
            "abs acos add addcmul addmm allclose arange argmax argmin argsort asin atan bmm cast ceil cholesky clamp "
            "concat cos create_tensor crop_tensor cross cumsum diag dist div dot elementwise_add elementwise_div "
            "elementwise_equal elementwise_floordiv elementwise_max elementwise_min elementwise_mod elementwise_mul "
            "elementwise_pow elementwise_sub elementwise_sum equal erf exp expand expand_as eye fill_constant flatten "
            "flip floor full full_like gather gather_nd greater_equal greater_than has_inf has_nan increment "
            "index_sample index_select inverse is_empty isfinite kron less_equal less_than linspace load log log1p "
            "logical_and logical_not logical_or logical_xor logsumexp matmul max mean meshgrid min mm mul multiplex "
            "nonzero norm not_equal ones ones_like pow rand randint randn randperm rank reciprocal reduce_all "
            "reduce_any reduce_max reduce_mean reduce_min reduce_prod reduce_sum reshape reverse roll round rsqrt "
            "save scale scatter scatter_nd scatter_nd_add shape shard_index shuffle sign sin slice sort split sqrt "
            "square squeeze stack stanh std strided_slice sum sums t tanh topk trace transpose tril triu unbind "
            "unique unique_with_counts unsqueeze unstack var where zeros zeros_like"
        ),
        "refluid.alpha.imperative": "enable_dygraph=enable_imperative enable_imperative",
        "refluid.eager.base": (
            "disable_dygraph disable_imperative=disable_dygraph in_dygraph_mode in_imperative_mode=in_dygraph_mode"
        ),
        "refluid.layers.data": "data=fluid_data",
    },
    "paddle.fluid": {
        "paddle.fluid": (
            "annotations average backward clip communicator compiler contrib core core_avx data_feed_desc data_feeder "
            "dataloader dataset debugger default_scope_funcs device_worker distribute_lookup_table dygraph "
            "dygraph_grad_clip dygraph_utils evaluator executor framework graphviz incubate initializer input "
            "install_check io layer_helper layer_helper_base layers lod_tensor log_helper metrics multiprocess_utils "
            "net_drawer nets op optimizer parallel_executor param_attr profiler proto reader recordio_writer "
            "regularizer trainer_desc trainer_factory transpiler unique_name"
        ),
        "paddle.fluid.dygraph.nn": (
            "BCELoss BatchNorm BilinearTensorProduct Conv2D Conv2DTranspose Conv3D Conv3DTranspose Dropout Embedding "
            "FC GRUUnit GroupNorm InstanceNorm L1Loss LayerNorm Linear MSELoss NCE NLLLoss PRelu Pool2D RowConv "
            "SequenceConv SpectralNorm TreeConv"
        ),
        "paddle.fluid.incubate": "data_generator fleet",
        "refluid.autodiff.backward": "append_backward gradients",
        "refluid.contrib.memory": "memory_optimize release_memory",
        "refluid.contrib.op_library": "load_op_library",
        "refluid.core.flags": "get_flags set_flags",
        "refluid.core.places": (
            "CPUPlace CUDAPinnedPlace CUDAPlace cpu_places cuda_pinned_places cuda_places is_compiled_with_cuda"
        ),
        "refluid.core.version": "require_version",
        "refluid.data.ctr.base": "QueueDataset",
        "refluid.data.ctr.dataset": "DatasetFactory",
        "refluid.data.ctr.feed_desc": "DataFeedDesc",
        "refluid.data.ctr.memory": "InMemoryDataset",
        "refluid.data.feeder": "DataFeeder",
        "refluid.distributed.transpile.config": "DistributeTranspilerConfig",
        "refluid.distributed.transpile.transpiler": "DistributeTranspiler",
        "refluid.eager.base": (
            "disable_dygraph disable_imperative=disable_dygraph enable_dygraph enable_imperative=enable_dygraph "
            "in_dygraph_mode"
        ),
        "refluid.eager.complex_variable": "ComplexVariable",
        "refluid.eager.kinds": "Parameter Variable",
        "refluid.eager.py_layer": "PyLayer",
        "refluid.eager.variable": "VarBase",
        "refluid.executor.compiled": "BuildStrategy CompiledProgram ExecutionStrategy",
        "refluid.executor.executor": "Executor",
        "refluid.executor.parallel_executor": "ParallelExecutor",
        "refluid.ir.block": "Block",
        "refluid.ir.operator": "Operator",
        "refluid.ir.program": (
            "Program default_main_program default_startup_program device_guard name_scope program_guard "
            "switch_main_program switch_startup_program"
        ),
        "refluid.layers.embedding": "embedding=fluid_embedding",
        "refluid.layers.tensor": "one_hot=fluid_one_hot",
        "refluid.nn.layer": "Layer",
        "refluid.params.attr": "ParamAttr WeightNormParamAttr",
        "refluid.saving.dygraph": "load_dygraph save_dygraph",
        "refluid.saving.program_state": "load load_program_state save set_program_state",
        "refluid.tensor.create": "create_lod_tensor create_random_int_lodtensor",
        "refluid.tensor.lod_tensor": "LoDTensor Tensor=LoDTensor",
        "refluid.tensor.scope": "Scope _Scope=Scope global_scope scope_guard",
        "refluid.tensor.tensor_array": "LoDTensorArray",
    },
    "paddle.fluid.dygraph": {
        "paddle.fluid.dygraph": (
            "backward_strategy base checkpoint container dygraph_to_static jit layers learning_rate_scheduler nn "
            "parallel parallel_helper rnn static_runner tracer"
        ),
        "refluid.diagnostics.profiler": "start_gperf_profiler stop_gperf_profiler",
        "refluid.distributed.data_parallel": "DataParallel prepare_context",
        "refluid.distributed.environment": "ParallelEnv",
        "refluid.eager.base": (
            "disable_dygraph disable_imperative=disable_dygraph enable_dygraph enable_imperative=enable_dygraph "
            "enabled guard in_dygraph_mode no_grad to_variable"
        ),
        "refluid.eager.grad": "grad",
        "refluid.eager.py_layer": "PyLayer",
        "refluid.eager.strategy": "BackwardStrategy",
        "refluid.eager.tracer": "Tracer",
        "refluid.jit.function": "declarative dygraph_to_static_func",
        "refluid.jit.static_runner": "StaticModelRunner",
        "refluid.jit.traced": "TracedLayer",
        "refluid.jit.translator": "ProgramTranslator",
        "refluid.nn.bilinear": "BilinearTensorProduct",
        "refluid.nn.cells": "GRUCell LSTMCell",
        "refluid.nn.container": "LayerList ParameterList Sequential",
        "refluid.nn.conv": "Conv2D Conv3D",
        "refluid.nn.conv_transpose": "Conv2DTranspose Conv3DTranspose",
        "refluid.nn.dropout": "Dropout",
        "refluid.nn.embedding": "Embedding",
        "refluid.nn.gru_unit": "GRUUnit",
        "refluid.nn.layer": "Layer",
        "refluid.nn.linear": "FC Linear",
        "refluid.nn.loss": "BCELoss L1Loss MSELoss NLLLoss",
        "refluid.nn.nce": "NCE",
        "refluid.nn.norm": "BatchNorm LayerNorm",
        "refluid.nn.norm_in_sample": "GroupNorm InstanceNorm SpectralNorm",
        "refluid.nn.pool": "Pool2D",
        "refluid.nn.prelu": "PRelu",
        "refluid.nn.tree_conv": "TreeConv",
        "refluid.optim.decay": (
            "CosineDecay ExponentialDecay InverseTimeDecay LinearLrWarmup NaturalExpDecay NoamDecay PiecewiseDecay "
            "PolynomialDecay"
        ),
        "refluid.optim.epoch_decay": "LambdaDecay MultiStepDecay ReduceLROnPlateau StepDecay",
        "refluid.saving.dygraph": "load_dygraph load_persistables save_dygraph save_persistables",
    },
    "paddle.fluid.layers": {
        "paddle.fluid.layers": (
            "collective control_flow detection device distributions io learning_rate_scheduler loss metric_op nn ops "
            "sequence_lod tensor utils"
        ),
        "refluid.contrib.layers.trees": "tree_conv",
        "refluid.data.loading.decorators": "Preprocessor batch shuffle",
        "refluid.data.loading.py_reader": (
            "create_py_reader_by_data double_buffer py_reader random_data_generator read_file"
        ),
        "refluid.layers.activation": (
            "brelu elu gelu hard_shrink hard_sigmoid hard_swish leaky_relu log_softmax logsigmoid mish relu relu6 "
            "selu sigmoid soft_relu softmax softplus softshrink softsign stanh swish tanh tanh_shrink "
            "thresholded_relu"
        ),
        "refluid.layers.batch_norm": "batch_norm data_norm inplace_abn",
        "refluid.layers.clicks": "continuous_value_model filter_by_instag hash",
        "refluid.layers.compare": (
            "allclose elementwise_equal equal greater_equal greater_than has_inf has_nan is_empty isfinite less_equal "
            "less_than logical_and logical_not logical_or logical_xor not_equal"
        ),
        "refluid.layers.control_flow": (
            "ConditionalBlock DynamicRNN IfElse StaticRNN Switch While array_length array_read array_to_lod_tensor "
            "array_write case cond create_array lod_rank_table lod_tensor_to_array max_sequence_len merge_lod_tensor "
            "reorder_lod_tensor_by_rank select_input select_output shrink_memory split_lod_tensor switch_case "
            "tensor_array_to_tensor while_loop"
        ),
        "refluid.layers.conv": "conv2d conv3d",
        "refluid.layers.conv_transpose": "conv2d_transpose conv3d_transpose",
        "refluid.layers.creation": (
            "arange diag diag_embed eye fill_constant fill_constant_batch_size_like full full_like linspace ones "
            "ones_like range tril triu zeros zeros_like"
        ),
        "refluid.layers.crf": "crf_decoding linear_chain_crf",
        "refluid.layers.data": "data",
        "refluid.layers.debug": "Assert Print py_func",
        "refluid.layers.decoding": "beam_search beam_search_decode ctc_greedy_decoder gather_tree warpctc",
        "refluid.layers.deformable": "deformable_conv",
        "refluid.layers.detection.anchors": "anchor_generator density_prior_box",
        "refluid.layers.detection.boxes": (
            "box_clip box_coder box_decoder_and_assign iou_similarity polygon_box_transform"
        ),
        "refluid.layers.detection.precision": "detection_map",
        "refluid.layers.detection.proposals": (
            "collect_fpn_proposals distribute_fpn_proposals generate_mask_labels generate_proposal_labels "
            "generate_proposals retinanet_target_assign rpn_target_assign"
        ),
        "refluid.layers.detection.regions": (
            "deformable_roi_pooling prroi_pool psroi_pool roi_align roi_perspective_transform roi_pool"
        ),
        "refluid.layers.detection.ssd": "bipartite_match detection_output ssd_loss target_assign",
        "refluid.layers.detection.suppression": (
            "locality_aware_nms matrix_nms multiclass_nms retinanet_detection_output"
        ),
        "refluid.layers.detection.yolo": "yolo_box yolov3_loss",
        "refluid.layers.device": "get_places",
        "refluid.layers.distributions": "Categorical MultivariateNormalDiag Normal Uniform",
        "refluid.layers.dropout": "dropout",
        "refluid.layers.elementwise": (
            "elementwise_add elementwise_div elementwise_floordiv elementwise_max elementwise_min elementwise_mod "
            "elementwise_mul elementwise_pow elementwise_sub"
        ),
        "refluid.layers.embedding": "add_position_encoding embedding",
        "refluid.layers.fc": "fc",
        "refluid.layers.image": (
            "affine_channel affine_grid fsp_matrix grid_sampler im2sequence maxout pixel_shuffle shuffle_channel "
            "similarity_focus space_to_depth temporal_shift unfold"
        ),
        "refluid.layers.indexing": (
            "gather gather_nd index_sample index_select multiplex nonzero scatter scatter_nd scatter_nd_add slice "
            "strided_slice where"
        ),
        "refluid.layers.loss": (
            "cross_entropy huber_loss kldiv_loss label_smooth log_loss mse_loss sigmoid_cross_entropy_with_logits "
            "smooth_l1 softmax_with_cross_entropy square_error_cost"
        ),
        "refluid.layers.math": (
            "addcmul addmm bmm clamp clip clip_by_norm cos_sim cross cumsum dist dot increment kron matmul mul scale "
            "sum sums trace"
        ),
        "refluid.layers.metric": "accuracy auc chunk_eval edit_distance mean_iou",
        "refluid.layers.norm": "group_norm instance_norm l2_normalize layer_norm lrn spectral_norm",
        "refluid.layers.pad": "crop crop_tensor pad pad2d pad_constant_like random_crop",
        "refluid.layers.parameters": "create_global_var create_parameter create_tensor",
        "refluid.layers.parametric": "bilinear_tensor_product prelu row_conv",
        "refluid.layers.pool": "adaptive_pool2d adaptive_pool3d pool2d pool3d",
        "refluid.layers.prior_boxes": "multi_box_head prior_box",
        "refluid.layers.random": (
            "gaussian_random gaussian_random_batch_size_like randint randn randperm sampling_id uniform_random "
            "uniform_random_batch_size_like"
        ),
        "refluid.layers.ranking_loss": (
            "bpr_loss center_loss dice_loss margin_rank_loss npair_loss rank_loss sigmoid_focal_loss "
            "teacher_student_sigmoid_loss"
        ),
        "refluid.layers.recurrent": "dynamic_gru dynamic_lstm dynamic_lstmp gru_unit lstm lstm_unit",
        "refluid.layers.reduce": (
            "logsumexp mean reduce_all reduce_any reduce_max reduce_mean reduce_min reduce_prod reduce_sum"
        ),
        "refluid.layers.resize": (
            "image_resize image_resize_short interpolate resize_bilinear resize_linear resize_nearest resize_trilinear"
        ),
        "refluid.layers.rnn": (
            "BasicDecoder BeamSearchDecoder DecodeHelper Decoder GRUCell GreedyEmbeddingHelper LSTMCell RNNCell "
            "SampleEmbeddingHelper TrainingHelper dynamic_decode"
        ),
        "refluid.layers.sampled_loss": "hsigmoid nce sampled_softmax_with_cross_entropy",
        "refluid.layers.sequence": (
            "lod_append lod_reset sequence_concat sequence_conv sequence_enumerate sequence_expand sequence_expand_as "
            "sequence_first_step sequence_last_step sequence_mask sequence_pad sequence_pool sequence_reshape "
            "sequence_reverse sequence_scatter sequence_slice sequence_softmax sequence_unpad"
        ),
        "refluid.layers.shape": (
            "concat expand expand_as flatten flip meshgrid rank reshape reverse roll shape size split squeeze stack t "
            "transpose unsqueeze unstack"
        ),
        "refluid.layers.tensor": (
            "argmax argmin argsort assign cast get_tensor_from_selected_rows merge_selected_rows one_hot shard_index "
            "topk unique unique_with_counts"
        ),
        "refluid.layers.unary": (
            "abs acos asin atan ceil cos erf exp floor log log1p pow reciprocal round rsqrt sign sin sqrt square"
        ),
        "refluid.optim.build": "autoincreased_step_counter",
        "refluid.optim.schedules": (
            "cosine_decay exponential_decay inverse_time_decay linear_lr_warmup natural_exp_decay noam_decay "
            "piecewise_decay polynomial_decay"
        ),
        "refluid.saving.layer": "load load_combine save_combine",
        "refluid.saving.record_files": "open_files",
    },
}
WITHOUT_MODULES = ("paddle.fluid.dygraph", "paddle.fluid.layers")

"""paddle.fluid.layers: the functions that build a network."""

import typing as _typing

from paddle.fluid.layers import rnn as _rnn  # loaded before the function of that name takes its place
from refluid.deferred import names_of as _names_of
from refluid.layers.rnn import rnn as rnn

if _typing.TYPE_CHECKING:
    from paddle.fluid.layers import (
        collective as collective,
        control_flow as control_flow,
        detection as detection,
        device as device,
        distributions as distributions,
        io as io,
        learning_rate_scheduler as learning_rate_scheduler,
        loss as loss,
        metric_op as metric_op,
        nn as nn,
        ops as ops,
        sequence_lod as sequence_lod,
        tensor as tensor,
        utils as utils,
    )
    from refluid.contrib.layers.trees import tree_conv as tree_conv
    from refluid.data.loading.decorators import Preprocessor as Preprocessor, batch as batch, shuffle as shuffle
    from refluid.data.loading.py_reader import (
        create_py_reader_by_data as create_py_reader_by_data,
        double_buffer as double_buffer,
        py_reader as py_reader,
        random_data_generator as random_data_generator,
        read_file as read_file,
    )
    from refluid.layers.activation import (
        brelu as brelu,
        elu as elu,
        gelu as gelu,
        hard_shrink as hard_shrink,
        hard_sigmoid as hard_sigmoid,
        hard_swish as hard_swish,
        leaky_relu as leaky_relu,
        log_softmax as log_softmax,
        logsigmoid as logsigmoid,
        mish as mish,
        relu as relu,
        relu6 as relu6,
        selu as selu,
        sigmoid as sigmoid,
        soft_relu as soft_relu,
        softmax as softmax,
        softplus as softplus,
        softshrink as softshrink,
        softsign as softsign,
        stanh as stanh,
        swish as swish,
        tanh as tanh,
        tanh_shrink as tanh_shrink,
        thresholded_relu as thresholded_relu,
    )
    from refluid.layers.batch_norm import batch_norm as batch_norm, data_norm as data_norm, inplace_abn as inplace_abn
    from refluid.layers.clicks import (
        continuous_value_model as continuous_value_model,
        filter_by_instag as filter_by_instag,
        hash as hash,
    )
    from refluid.layers.compare import (
        allclose as allclose,
        elementwise_equal as elementwise_equal,
        equal as equal,
        greater_equal as greater_equal,
        greater_than as greater_than,
        has_inf as has_inf,
        has_nan as has_nan,
        is_empty as is_empty,
        isfinite as isfinite,
        less_equal as less_equal,
        less_than as less_than,
        logical_and as logical_and,
        logical_not as logical_not,
        logical_or as logical_or,
        logical_xor as logical_xor,
        not_equal as not_equal,
    )
    from refluid.layers.control_flow import (
        ConditionalBlock as ConditionalBlock,
        DynamicRNN as DynamicRNN,
        IfElse as IfElse,
        StaticRNN as StaticRNN,
        Switch as Switch,
        While as While,
        array_length as array_length,
        array_read as array_read,
        array_to_lod_tensor as array_to_lod_tensor,
        array_write as array_write,
        case as case,
        cond as cond,
        create_array as create_array,
        lod_rank_table as lod_rank_table,
        lod_tensor_to_array as lod_tensor_to_array,
        max_sequence_len as max_sequence_len,
        merge_lod_tensor as merge_lod_tensor,
        reorder_lod_tensor_by_rank as reorder_lod_tensor_by_rank,
        select_input as select_input,
        select_output as select_output,
        shrink_memory as shrink_memory,
        split_lod_tensor as split_lod_tensor,
        switch_case as switch_case,
        tensor_array_to_tensor as tensor_array_to_tensor,
        while_loop as while_loop,
    )
    from refluid.layers.conv import conv2d as conv2d, conv3d as conv3d
    from refluid.layers.conv_transpose import conv2d_transpose as conv2d_transpose, conv3d_transpose as conv3d_transpose
    from refluid.layers.creation import (
        arange as arange,
        diag as diag,
        diag_embed as diag_embed,
        eye as eye,
        fill_constant as fill_constant,
        fill_constant_batch_size_like as fill_constant_batch_size_like,
        full as full,
        full_like as full_like,
        linspace as linspace,
        ones as ones,
        ones_like as ones_like,
        range as range,
        tril as tril,
        triu as triu,
        zeros as zeros,
        zeros_like as zeros_like,
    )
    from refluid.layers.crf import crf_decoding as crf_decoding, linear_chain_crf as linear_chain_crf
    from refluid.layers.data import data as data
    from refluid.layers.debug import Assert as Assert, Print as Print, py_func as py_func
    from refluid.layers.decoding import (
        beam_search as beam_search,
        beam_search_decode as beam_search_decode,
        ctc_greedy_decoder as ctc_greedy_decoder,
        gather_tree as gather_tree,
        warpctc as warpctc,
    )
    from refluid.layers.deformable import deformable_conv as deformable_conv
    from refluid.layers.detection.anchors import (
        anchor_generator as anchor_generator,
        density_prior_box as density_prior_box,
    )
    from refluid.layers.detection.boxes import (
        box_clip as box_clip,
        box_coder as box_coder,
        box_decoder_and_assign as box_decoder_and_assign,
        iou_similarity as iou_similarity,
        polygon_box_transform as polygon_box_transform,
    )
    from refluid.layers.detection.precision import detection_map as detection_map
    from refluid.layers.detection.proposals import (
        collect_fpn_proposals as collect_fpn_proposals,
        distribute_fpn_proposals as distribute_fpn_proposals,
        generate_mask_labels as generate_mask_labels,
        generate_proposal_labels as generate_proposal_labels,
        generate_proposals as generate_proposals,
        retinanet_target_assign as retinanet_target_assign,
        rpn_target_assign as rpn_target_assign,
    )
    from refluid.layers.detection.regions import (
        deformable_roi_pooling as deformable_roi_pooling,
        prroi_pool as prroi_pool,
        psroi_pool as psroi_pool,
        roi_align as roi_align,
        roi_perspective_transform as roi_perspective_transform,
        roi_pool as roi_pool,
    )
    from refluid.layers.detection.ssd import (
        bipartite_match as bipartite_match,
        detection_output as detection_output,
        ssd_loss as ssd_loss,
        target_assign as target_assign,
    )
    from refluid.layers.detection.suppression import (
        locality_aware_nms as locality_aware_nms,
        matrix_nms as matrix_nms,
        multiclass_nms as multiclass_nms,
        retinanet_detection_output as retinanet_detection_output,
    )
    from refluid.layers.detection.yolo import yolo_box as yolo_box, yolov3_loss as yolov3_loss
    from refluid.layers.distributions import (
        Categorical as Categorical,
        MultivariateNormalDiag as MultivariateNormalDiag,
        Normal as Normal,
        Uniform as Uniform,
    )
    from refluid.layers.dropout import dropout as dropout
    from refluid.layers.elementwise import (
        elementwise_add as elementwise_add,
        elementwise_div as elementwise_div,
        elementwise_floordiv as elementwise_floordiv,
        elementwise_max as elementwise_max,
        elementwise_min as elementwise_min,
        elementwise_mod as elementwise_mod,
        elementwise_mul as elementwise_mul,
        elementwise_pow as elementwise_pow,
        elementwise_sub as elementwise_sub,
    )
    from refluid.layers.device import get_places as get_places
    from refluid.layers.embedding import add_position_encoding as add_position_encoding, embedding as embedding
    from refluid.layers.fc import fc as fc
    from refluid.layers.image import (
        affine_channel as affine_channel,
        affine_grid as affine_grid,
        fsp_matrix as fsp_matrix,
        grid_sampler as grid_sampler,
        im2sequence as im2sequence,
        maxout as maxout,
        pixel_shuffle as pixel_shuffle,
        shuffle_channel as shuffle_channel,
        similarity_focus as similarity_focus,
        space_to_depth as space_to_depth,
        temporal_shift as temporal_shift,
        unfold as unfold,
    )
    from refluid.layers.indexing import (
        gather as gather,
        gather_nd as gather_nd,
        index_sample as index_sample,
        index_select as index_select,
        multiplex as multiplex,
        nonzero as nonzero,
        scatter as scatter,
        scatter_nd as scatter_nd,
        scatter_nd_add as scatter_nd_add,
        slice as slice,
        strided_slice as strided_slice,
        where as where,
    )
    from refluid.layers.loss import (
        cross_entropy as cross_entropy,
        huber_loss as huber_loss,
        kldiv_loss as kldiv_loss,
        label_smooth as label_smooth,
        log_loss as log_loss,
        mse_loss as mse_loss,
        sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits,
        smooth_l1 as smooth_l1,
        softmax_with_cross_entropy as softmax_with_cross_entropy,
        square_error_cost as square_error_cost,
    )
    from refluid.layers.math import (
        addcmul as addcmul,
        addmm as addmm,
        bmm as bmm,
        clamp as clamp,
        clip as clip,
        clip_by_norm as clip_by_norm,
        cos_sim as cos_sim,
        cross as cross,
        cumsum as cumsum,
        dist as dist,
        dot as dot,
        increment as increment,
        kron as kron,
        matmul as matmul,
        mul as mul,
        scale as scale,
        sum as sum,
        sums as sums,
        trace as trace,
    )
    from refluid.layers.metric import (
        accuracy as accuracy,
        auc as auc,
        chunk_eval as chunk_eval,
        edit_distance as edit_distance,
        mean_iou as mean_iou,
    )
    from refluid.layers.norm import (
        group_norm as group_norm,
        instance_norm as instance_norm,
        l2_normalize as l2_normalize,
        layer_norm as layer_norm,
        lrn as lrn,
        spectral_norm as spectral_norm,
    )
    from refluid.layers.pad import (
        crop as crop,
        crop_tensor as crop_tensor,
        pad as pad,
        pad2d as pad2d,
        pad_constant_like as pad_constant_like,
        random_crop as random_crop,
    )
    from refluid.layers.parameters import (
        create_global_var as create_global_var,
        create_parameter as create_parameter,
        create_tensor as create_tensor,
    )
    from refluid.layers.parametric import (
        bilinear_tensor_product as bilinear_tensor_product,
        prelu as prelu,
        row_conv as row_conv,
    )
    from refluid.layers.pool import (
        adaptive_pool2d as adaptive_pool2d,
        adaptive_pool3d as adaptive_pool3d,
        pool2d as pool2d,
        pool3d as pool3d,
    )
    from refluid.layers.prior_boxes import multi_box_head as multi_box_head, prior_box as prior_box
    from refluid.layers.random import (
        gaussian_random as gaussian_random,
        gaussian_random_batch_size_like as gaussian_random_batch_size_like,
        randint as randint,
        randn as randn,
        randperm as randperm,
        sampling_id as sampling_id,
        uniform_random as uniform_random,
        uniform_random_batch_size_like as uniform_random_batch_size_like,
    )
    from refluid.layers.ranking_loss import (
        bpr_loss as bpr_loss,
        center_loss as center_loss,
        dice_loss as dice_loss,
        margin_rank_loss as margin_rank_loss,
        npair_loss as npair_loss,
        rank_loss as rank_loss,
        sigmoid_focal_loss as sigmoid_focal_loss,
        teacher_student_sigmoid_loss as teacher_student_sigmoid_loss,
    )
    from refluid.layers.recurrent import (
        dynamic_gru as dynamic_gru,
        dynamic_lstm as dynamic_lstm,
        dynamic_lstmp as dynamic_lstmp,
        gru_unit as gru_unit,
        lstm as lstm,
        lstm_unit as lstm_unit,
    )
    from refluid.layers.reduce import (
        logsumexp as logsumexp,
        mean as mean,
        reduce_all as reduce_all,
        reduce_any as reduce_any,
        reduce_max as reduce_max,
        reduce_mean as reduce_mean,
        reduce_min as reduce_min,
        reduce_prod as reduce_prod,
        reduce_sum as reduce_sum,
    )
    from refluid.layers.resize import (
        image_resize as image_resize,
        image_resize_short as image_resize_short,
        interpolate as interpolate,
        resize_bilinear as resize_bilinear,
        resize_linear as resize_linear,
        resize_nearest as resize_nearest,
        resize_trilinear as resize_trilinear,
    )
    from refluid.layers.sampled_loss import (
        hsigmoid as hsigmoid,
        nce as nce,
        sampled_softmax_with_cross_entropy as sampled_softmax_with_cross_entropy,
    )
    from refluid.layers.sequence import (
        lod_append as lod_append,
        lod_reset as lod_reset,
        sequence_concat as sequence_concat,
        sequence_conv as sequence_conv,
        sequence_enumerate as sequence_enumerate,
        sequence_expand as sequence_expand,
        sequence_expand_as as sequence_expand_as,
        sequence_first_step as sequence_first_step,
        sequence_last_step as sequence_last_step,
        sequence_mask as sequence_mask,
        sequence_pad as sequence_pad,
        sequence_pool as sequence_pool,
        sequence_reshape as sequence_reshape,
        sequence_reverse as sequence_reverse,
        sequence_scatter as sequence_scatter,
        sequence_slice as sequence_slice,
        sequence_softmax as sequence_softmax,
        sequence_unpad as sequence_unpad,
    )
    from refluid.layers.shape import (
        concat as concat,
        expand as expand,
        expand_as as expand_as,
        flatten as flatten,
        flip as flip,
        meshgrid as meshgrid,
        rank as rank,
        reshape as reshape,
        reverse as reverse,
        roll as roll,
        shape as shape,
        size as size,
        split as split,
        squeeze as squeeze,
        stack as stack,
        t as t,
        transpose as transpose,
        unsqueeze as unsqueeze,
        unstack as unstack,
    )
    from refluid.layers.tensor import (
        argmax as argmax,
        argmin as argmin,
        argsort as argsort,
        assign as assign,
        cast as cast,
        get_tensor_from_selected_rows as get_tensor_from_selected_rows,
        merge_selected_rows as merge_selected_rows,
        one_hot as one_hot,
        shard_index as shard_index,
        topk as topk,
        unique as unique,
        unique_with_counts as unique_with_counts,
    )
    from refluid.layers.unary import (
        abs as abs,
        acos as acos,
        asin as asin,
        atan as atan,
        ceil as ceil,
        cos as cos,
        erf as erf,
        exp as exp,
        floor as floor,
        log as log,
        log1p as log1p,
        pow as pow,
        reciprocal as reciprocal,
        round as round,
        rsqrt as rsqrt,
        sign as sign,
        sin as sin,
        sqrt as sqrt,
        square as square,
    )
    from refluid.optim.build import autoincreased_step_counter as autoincreased_step_counter
    from refluid.optim.schedules import (
        cosine_decay as cosine_decay,
        exponential_decay as exponential_decay,
        inverse_time_decay as inverse_time_decay,
        linear_lr_warmup as linear_lr_warmup,
        natural_exp_decay as natural_exp_decay,
        noam_decay as noam_decay,
        piecewise_decay as piecewise_decay,
        polynomial_decay as polynomial_decay,
    )
    from refluid.saving.layer import load as load, load_combine as load_combine, save_combine as save_combine
    from refluid.saving.record_files import open_files as open_files

    from refluid.layers.rnn import (
        BasicDecoder as BasicDecoder,
        BeamSearchDecoder as BeamSearchDecoder,
        DecodeHelper as DecodeHelper,
        Decoder as Decoder,
        GreedyEmbeddingHelper as GreedyEmbeddingHelper,
        GRUCell as GRUCell,
        LSTMCell as LSTMCell,
        RNNCell as RNNCell,
        SampleEmbeddingHelper as SampleEmbeddingHelper,
        TrainingHelper as TrainingHelper,
        dynamic_decode as dynamic_decode,
    )

__getattr__, __dir__ = _names_of(__name__)

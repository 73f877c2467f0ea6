"""paddle.fluid.contrib: what was on its way into Fluid."""

from paddle.fluid.contrib import (
    decoder as decoder,
    extend_optimizer as extend_optimizer,
    layers as layers,
    memory_usage_calc as memory_usage_calc,
    mixed_precision as mixed_precision,
    model_stat as model_stat,
    op_frequence as op_frequence,
    quantize as quantize,
    reader as reader,
    utils as utils,
)
from refluid.contrib.decoder.beam_search import BeamSearchDecoder as BeamSearchDecoder
from refluid.contrib.decoder.state import InitState as InitState, StateCell as StateCell
from refluid.contrib.decoder.training import TrainingDecoder as TrainingDecoder
from refluid.contrib.frequency import op_freq_statistic as op_freq_statistic
from refluid.contrib.hdfs import (
    HDFSClient as HDFSClient,
    multi_download as multi_download,
    multi_upload as multi_upload,
)
from refluid.contrib.layers.click_metrics import ctr_metric_bundle as ctr_metric_bundle
from refluid.contrib.layers.columns import (
    fused_elemwise_activation as fused_elemwise_activation,
    partial_concat as partial_concat,
    partial_sum as partial_sum,
    batch_fc as batch_fc,
    rank_attention as rank_attention,
)
from refluid.contrib.layers.hashing import search_pyramid_hash as search_pyramid_hash
from refluid.contrib.layers.matching import (
    fused_embedding_seq_pool as fused_embedding_seq_pool,
    match_matrix_tensor as match_matrix_tensor,
    sequence_topk_avg_pooling as sequence_topk_avg_pooling,
    var_conv_2d as var_conv_2d,
)
from refluid.contrib.layers.trees import (
    tdm_child as tdm_child,
    tdm_sampler as tdm_sampler,
    tree_conv as tree_conv,
)
from refluid.contrib.memory import memory_usage as memory_usage
from refluid.contrib.mixed_precision.lists import AutoMixedPrecisionLists as AutoMixedPrecisionLists
from refluid.contrib.mixed_precision.optimizer import decorate as decorate
from refluid.contrib.quantize.transpiler import QuantizeTranspiler as QuantizeTranspiler
from refluid.contrib.summary import summary as summary
from refluid.contrib.weight_decay import extend_with_decoupled_weight_decay as extend_with_decoupled_weight_decay
from refluid.data.readers.distributed import distributed_batch_reader as distributed_batch_reader
from refluid.distributed.persist.lookup_tables import (
    convert_dist_to_sparse_program as convert_dist_to_sparse_program,
    load_persistables_for_increment as load_persistables_for_increment,
    load_persistables_for_inference as load_persistables_for_inference,
)
from refluid.layers.detection.suppression import multiclass_nms2 as multiclass_nms2
from refluid.layers.random import shuffle_batch as shuffle_batch
from refluid.layers.rnn import basic_gru as basic_gru, basic_lstm as basic_lstm
from refluid.nn.basic_units import BasicGRUUnit as BasicGRUUnit, BasicLSTMUnit as BasicLSTMUnit

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)

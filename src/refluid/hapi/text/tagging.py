"""A network that tags every word of sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from refluid.hapi.text.crf import CRFDecoding, LinearChainCRF
from refluid.hapi.text.recurrent import BidirectionalGRU
from refluid.hapi.text.shared import check_sizes
from refluid.layers.reduce import mean
from refluid.nn.container import LayerList
from refluid.nn.embedding import Embedding
from refluid.nn.layer import Layer
from refluid.nn.linear import Linear
from refluid.optim.regularizer import L2Decay
from refluid.params.attr import ParamAttr
from refluid.params.initializer import Uniform

if TYPE_CHECKING:
    from refluid.ir.base_variable import BaseVariable

_DECAY = 1e-4


class SequenceTagging(Layer):
    """A word embedding, bidirectional GRUs, and a linear-chain CRF over the tags.

    Args:
        vocab_size, num_labels: how many words and tags there are.
        word_emb_dim, grnn_hidden_dim: the widths of the embedding and of the GRUs' states.
        emb_learning_rate, crf_learning_rate: multiply the learning rate of the embedding and of the CRF.
        bigru_num: the number of GRUs on top of each other.
        init_bound: parameters are initialized uniformly in [-init_bound, init_bound].
    """

    def __init__(
        self,
        vocab_size: int,
        num_labels: int,
        word_emb_dim: int = 128,
        grnn_hidden_dim: int = 128,
        emb_learning_rate: float = 0.1,
        crf_learning_rate: float = 0.1,
        bigru_num: int = 2,
        init_bound: float = 0.1,
    ):
        super().__init__()
        check_sizes(
            self, vocab_size=vocab_size, num_labels=num_labels, word_emb_dim=word_emb_dim,
            grnn_hidden_dim=grnn_hidden_dim, bigru_num=bigru_num,
        )  # fmt: skip

        def attr(rate: float = 1.0) -> ParamAttr:
            return ParamAttr(
                initializer=Uniform(-init_bound, init_bound), regularizer=L2Decay(_DECAY), learning_rate=rate
            )

        self.word_embedding = Embedding([vocab_size, word_emb_dim], param_attr=attr(emb_learning_rate))
        self.bigru_units = LayerList(
            [
                BidirectionalGRU(2 * grnn_hidden_dim if i else word_emb_dim, grnn_hidden_dim, param_attr=attr())
                for i in range(bigru_num)
            ]
        )
        self.fc = Linear(2 * grnn_hidden_dim, num_labels, param_attr=attr())
        self.linear_chain_crf = LinearChainCRF(num_labels, attr(crf_learning_rate))
        self.crf_decoding = CRFDecoding(num_labels)
        self.crf_decoding.weight = self.linear_chain_crf.weight

    def forward(self, word: BaseVariable, lengths: BaseVariable, target: BaseVariable | None = None) -> tuple[Any, ...]:
        """(best tags, mean cost of the target, lengths), or (best tags, lengths) without a target.

        Args:
            word: int64 [batch, steps].
            lengths: int64 [batch].
            target: int64 [batch, steps].
        """
        feature = self.word_embedding(word)
        for unit in self.bigru_units:
            feature, _ = unit(feature, sequence_length=lengths)
        emission = self.fc(feature)
        tags = self.crf_decoding(emission, length=lengths)
        if target is None:
            return tags, lengths
        return tags, mean(self.linear_chain_crf(emission, target, lengths)), lengths

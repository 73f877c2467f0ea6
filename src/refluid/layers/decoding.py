"""Sequences out of scores: beam search and connectionist temporal classification (CTC)."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName
from refluid.ir.base_variable import BaseVariable
from refluid.layers.shape import squeeze
from refluid.ops.loss.warpctc import warpctc as warpctc_op
from refluid.ops.sequence.beam_search import beam_search as beam_search_op
from refluid.ops.sequence.beam_search_decode import beam_search_decode as beam_search_decode_op
from refluid.ops.sequence.ctc_align import ctc_align
from refluid.ops.sequence.gather_tree import gather_tree as gather_tree_op
from refluid.ops.shape.top_k import top_k


def warpctc(
    input: BaseVariable,
    label: BaseVariable,
    blank: int = 0,
    norm_by_times: bool = False,
    input_length: BaseVariable | None = None,
    label_length: BaseVariable | None = None,
    use_cudnn: bool = False,
) -> BaseVariable:
    """The CTC loss: connectionist temporal classification (Graves et al., 2006).

    Args:
        input: float logits, a LoDTensor [total length, classes + 1], or [length, N, classes + 1] with input_length.
        label: int32, a LoDTensor [total number of labels, 1], or [N, most labels] with label_length.
        blank: the index of the blank class.
        norm_by_times: divide the gradient by the number of steps.
        input_length: int64 [N]; None for LoDTensors.
        label_length: int64 [N]; None for LoDTensors.
        use_cudnn: accepted, as 1.5 has it.

    Returns:
        The loss of every sequence, [N, 1].

    Example:
        >>> logits = fluid.data("logits", [None, 9], lod_level=1)
        >>> label = fluid.data("label", [None, 1], "int32", lod_level=1)
        >>> fluid.layers.warpctc(logits, label, blank=8).shape
        (-1, 1)
    """
    if (input_length is None) != (label_length is None):
        raise ArgumentError("warpctc: input_length and label_length go together")
    _, loss = warpctc_op(
        input, label, input_length, label_length, name=LayerName("warpctc"), blank=blank, norm_by_times=norm_by_times
    )
    return loss


def ctc_greedy_decoder(
    input: BaseVariable,
    blank: int,
    input_length: BaseVariable | None = None,
    padding_value: int = 0,
    name: str | None = None,
) -> BaseVariable | tuple[BaseVariable, BaseVariable]:
    """Greedy CTC decoding: the argmax class of each step, with repeats merged and blanks removed.

    Args:
        input: float probabilities, a LoDTensor [total length, classes + 1], or [N, length, classes + 1] with
            input_length.
        blank: the index of the blank class.
        input_length: int64 [N, 1]; None for a LoDTensor.
        padding_value: the padding of the dense result.

    Returns:
        An int64 LoDTensor [number of labels, 1], [[-1]] if there are none; with input_length, (labels [N, length],
        their number [N, 1]).

    Example:
        >>> x = fluid.data("x", [None, 8], lod_level=1)
        >>> fluid.layers.ctc_greedy_decoder(x, blank=0).shape
        (-1, 1)
    """
    layer = LayerName("ctc_greedy_decoder", name)
    values, best = top_k(input, k=1)
    values.stop_gradient = best.stop_gradient = True
    if input_length is None:
        return ctc_align(best, name=layer, blank=blank, merge_repeated=True, padding_value=padding_value)[0]
    return ctc_align(
        squeeze(best, [2]), input_length, name=layer, blank=blank, merge_repeated=True, padding_value=padding_value
    )


def gather_tree(ids: BaseVariable, parents: BaseVariable) -> BaseVariable:
    """The whole sequences of a beam search, traced back from the last step.

    Args:
        ids: int32 or int64 [length, N, beams], the tokens of every step.
        parents: of the dtype and shape of ids, the beam of the step before that each continues.

    Returns:
        A variable of the shape of ids.
    """
    return gather_tree_op(ids, parents, name=LayerName("gather_tree"))


def beam_search(
    pre_ids: BaseVariable,
    pre_scores: BaseVariable,
    ids: BaseVariable | None,
    scores: BaseVariable,
    beam_size: int,
    end_id: int,
    level: int = 0,
    is_accumulated: bool = True,
    name: str | None = None,
    return_parent_idx: bool = False,
) -> Any:
    """One step of a beam search: the beam_size best continuations for every source sentence.

    Args:
        pre_ids: int64 LoDTensor [rows, 1] of two levels (sentences, beams): the last tokens of the beams.
        pre_scores: float, of the shape and LoD of pre_ids: the scores of the beams.
        ids: int64 LoDTensor [rows, K]: candidate tokens; None for 0 to K - 1.
        scores: float LoDTensor [rows, K]: their scores.
        beam_size: the number of beams of a sentence.
        end_id: a beam that ends with this token is finished and stays as it is.
        level: the LoD level of the sentences.
        is_accumulated: scores are those of whole beams; False: probabilities of this step.
        return_parent_idx: also return the rows that were continued.

    Returns:
        (ids, scores), LoDTensors [M, 1]; with return_parent_idx also int32 [M].

    Example:
        >>> pre_ids = fluid.data("pre_ids", [None, 1], "int64", lod_level=2)
        >>> pre_scores = fluid.data("pre_scores", [None, 1], lod_level=2)
        >>> scores, ids = fluid.layers.topk(fluid.data("probabilities", [None, 100], lod_level=2), k=4)
        >>> chosen, chosen_scores = fluid.layers.beam_search(pre_ids, pre_scores, ids, scores, beam_size=4, end_id=1)
        >>> chosen.shape
        (-1, 1)
    """
    chosen, new_scores, parents = beam_search_op(
        pre_ids, pre_scores, ids, scores, name=LayerName("beam_search", name), level=level, beam_size=beam_size,
        end_id=end_id, is_accumulated=is_accumulated,
    )  # fmt: skip
    return (chosen, new_scores, parents) if return_parent_idx else (chosen, new_scores)


def beam_search_decode(
    ids: BaseVariable, scores: BaseVariable, beam_size: int, end_id: int, name: str | None = None
) -> tuple[BaseVariable, BaseVariable]:
    """The sentences of a whole beam search, traced back from the last step.

    Args:
        ids: an array (see create_array) of the ids that beam_search returned at every step.
        scores: an array of its scores.
        beam_size: the number of beams of a sentence.
        end_id: the token that ends a sentence.

    Returns:
        (ids, scores) of all words, LoDTensors of two levels: the sentences of each source, best first, and their words.

    Example:
        >>> ids, scores = fluid.layers.create_array("int64"), fluid.layers.create_array("float32")
        >>> step = fluid.layers.fill_constant([1], "int64", 0)
        >>> _ = fluid.layers.array_write(fluid.data("id", [None, 1], "int64", lod_level=2), step, ids)
        >>> _ = fluid.layers.array_write(fluid.data("score", [None, 1], lod_level=2), step, scores)
        >>> words, word_scores = fluid.layers.beam_search_decode(ids, scores, beam_size=4, end_id=1)
    """
    return beam_search_decode_op(
        ids, scores, name=LayerName("beam_search_decode", name), beam_size=beam_size, end_id=end_id
    )

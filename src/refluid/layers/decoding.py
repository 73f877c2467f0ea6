"""Finding sentences: beam search, paths of beams, and what a temporal classifier says."""

from __future__ import annotations

from typing import Any

from refluid.core.errors import ArgumentError
from refluid.core.naming import LayerName
from refluid.layers.shape import squeeze
from refluid.ops.loss.warpctc import warpctc as warpctc_op
from refluid.ops.sequence.beam_search import beam_search as beam_search_op
from refluid.ops.sequence.beam_search_decode import beam_search_decode as beam_search_decode_op
from refluid.ops.sequence.ctc_align import ctc_align
from refluid.ops.sequence.gather_tree import gather_tree as gather_tree_op
from refluid.ops.shape.top_k import top_k


def warpctc(
    input: Any,
    label: Any,
    blank: int = 0,
    norm_by_times: bool = False,
    input_length: Any = None,
    label_length: Any = None,
    use_cudnn: bool = False,
) -> Any:
    """The loss of connectionist temporal classification: labels without times (Graves et al., 2006).

    Args:
        input: scores before softmax, a LoDTensor [total length, classes]; or [length, N, classes] with input_length.
        label: int LoDTensor [total number of labels, 1]; or [N, most labels] with label_length.
        blank: the class that says nothing.
        norm_by_times: divide the gradient by the number of steps.
        input_length, label_length: int64 [N]; both or none.
        use_cudnn: accepted; of 1.5.
    Returns:
        [N, 1].
    """
    if (input_length is None) != (label_length is None):
        raise ArgumentError("warpctc: input_length and label_length go together")
    _, loss = warpctc_op(
        input, label, input_length, label_length, name=LayerName("warpctc"), blank=blank, norm_by_times=norm_by_times
    )
    return loss


def ctc_greedy_decoder(
    input: Any, blank: int, input_length: Any = None, padding_value: int = 0, name: str | None = None
) -> Any:
    """The most probable class of each step, without repeats and blanks.

    Args:
        input: probabilities, a LoDTensor [total length, classes]; or [N, length, classes] with input_length [N, 1].
        padding_value: fills up shorter results, with input_length.
    Returns:
        A LoDTensor of int64 [number of labels, 1], [[-1]] if there is none at all; with input_length (labels [N,
        length], how many of them count [N, 1]).
    """
    layer = LayerName("ctc_greedy_decoder", name)
    values, best = top_k(input, k=1)
    values.stop_gradient = best.stop_gradient = True
    if input_length is None:
        return ctc_align(best, name=layer, blank=blank, merge_repeated=True, padding_value=padding_value)[0]
    return ctc_align(
        squeeze(best, [2]), input_length, name=layer, blank=blank, merge_repeated=True, padding_value=padding_value
    )


def gather_tree(ids: Any, parents: Any) -> Any:
    """The paths of a beam search: ids of every step and the beams they went on from, both [length, N, beams]."""
    return gather_tree_op(ids, parents, name=LayerName("gather_tree"))


def beam_search(
    pre_ids: Any,
    pre_scores: Any,
    ids: Any,
    scores: Any,
    beam_size: int,
    end_id: int,
    level: int = 0,
    is_accumulated: bool = True,
    name: str | None = None,
    return_parent_idx: bool = False,
) -> Any:
    """One step of a beam search: the beam_size best ways to go on with the beams of every sentence.

    Args:
        pre_ids, pre_scores: the beams so far, LoDTensors [rows, 1] of two levels: sentences, beams.
        ids, scores: candidates to go on with, LoDTensors [rows, K]; ids may be None: their numbers.
        end_id: a beam that ends with it goes on as it is.
        level: the LoD level of the sentences.
        is_accumulated: scores are those of whole beams; else probabilities of this step.
        return_parent_idx: also return the rows gone on from.
    Returns:
        (ids, scores) LoDTensors [M, 1]; with return_parent_idx also int32 [M].
    """
    chosen, new_scores, parents = beam_search_op(
        pre_ids, pre_scores, ids, scores, name=LayerName("beam_search", name), level=level, beam_size=beam_size,
        end_id=end_id, is_accumulated=is_accumulated,
    )  # fmt: skip
    return (chosen, new_scores, parents) if return_parent_idx else (chosen, new_scores)


def beam_search_decode(ids: Any, scores: Any, beam_size: int, end_id: int, name: str | None = None) -> Any:
    """The sentences of a whole beam search.

    Args:
        ids, scores: arrays (see create_array) of what beam_search gave at every step.
    Returns:
        (ids, scores) of all words, LoDTensors of two levels: the sentences of each source, best first, and their words.
    """
    return beam_search_decode_op(
        ids, scores, name=LayerName("beam_search_decode", name), beam_size=beam_size, end_id=end_id
    )

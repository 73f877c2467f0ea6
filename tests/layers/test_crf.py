import numpy as np
import pytest
from tests.layers.modes import both, declare, operators, ragged, run, weights

from refluid.core.errors import ArgumentError, NotFoundError
from refluid.eager import base as imperative
from refluid.layers.crf import crf_decoding, linear_chain_crf
from refluid.layers.parameters import create_parameter
from refluid.layers.reduce import mean
from refluid.optim.sgd import SGD
from refluid.params.attr import ParamAttr

X = ragged([[2, 0, 0], [0, 2, 0], [0, 0, 2], [2, 0, 1], [0, 1, 0]], [3, 2])
TAGS = ragged([[0], [1], [2], [0], [1]], [3, 2], "int64")


def test_the_program_is_that_of_1_8_5():
    x, tags = declare(x=X, tags=TAGS)
    attr = ParamAttr(name="crfw")
    cost = linear_chain_crf(x, tags, attr)
    path = crf_decoding(x, attr)
    assert operators() == [
        "linear_chain_crf: x crfw tags -> linear_chain_crf_0.tmp_0 linear_chain_crf_0.tmp_1 linear_chain_crf_0.tmp_2 "
        "linear_chain_crf_0.tmp_3",
        "crf_decoding: x crfw -> crf_decoding_0.tmp_0",
    ]
    assert cost.shape == (-1, 1) and path.shape == (-1, 1) and path.lod_level == 1


def test_training_makes_the_tags_probable():
    x, tags = declare(x=X, tags=TAGS)
    attr = ParamAttr(name="crfw", initializer=weights())
    loss = mean(linear_chain_crf(x, tags, attr))
    SGD(0.5).minimize(loss)
    right = crf_decoding(x, attr, label=tags)
    before, _ = run([loss, right], x=X, tags=TAGS)
    after, found = run([loss, right], 50, x=X, tags=TAGS)
    assert np.array(after)[0] < 0.3 * np.array(before)[0]
    assert np.array(found).all() and found.lod() == [[0, 3, 5]]


def test_padded_sequences_in_both_modes():
    values = np.array(X)

    def build(x, tags, lengths):
        w = create_parameter([5, 3], "float32", attr=ParamAttr(initializer=weights()))
        cost = linear_chain_crf(x, tags, ParamAttr(initializer=weights()), lengths)
        return [cost, crf_decoding(x, w, length=lengths)]

    padded = np.zeros((2, 3, 3), "float32")
    padded[0], padded[1, :2] = values[:3], values[3:]
    labels = np.array([[0, 1, 2], [0, 1, 0]], "int64")
    cost, path = both(build, x=padded, tags=labels, lengths=np.array([[3], [2]]))
    assert cost.shape == (2, 1) and (cost > 0).all()
    assert path.tolist()[0] == [0, 1, 2] and path[1, 2] == 0


def test_wrong_arguments_are_named():
    (x,) = declare(x=X)
    with pytest.raises(NotFoundError, match="crf_decoding: the program has no parameter 'crfw'"):
        crf_decoding(x, ParamAttr(name="crfw"))
    with pytest.raises(ArgumentError, match="crf_decoding: param_attr must name the parameter"):
        crf_decoding(x, None)
    with imperative.guard():
        with pytest.raises(ArgumentError, match="pass the parameter itself as param_attr"):
            crf_decoding(imperative.to_variable(np.array(X)), ParamAttr(name="crfw"))

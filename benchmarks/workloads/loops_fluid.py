"""Operators whose work is a loop over boxes, rows or sequences, in Fluid 1.8: forward alone.

One function per operator, at the sizes of public detection and translation programs.
"""

import numpy as np

import paddle.fluid as fluid

RANDOM = np.random.RandomState(0)


def boxes(*shape, size=1.0):
    """Boxes (left, top, right, bottom) [..., 4] around the middles of objects, so that many overlap."""
    middle = RANDOM.uniform(0.2, 0.8, shape + (2,)) * size
    half = RANDOM.uniform(0.02, 0.2, shape + (2,)) * size
    return np.concatenate([middle - half, middle + half], -1).astype("float32")


def lengths(count, least, most):
    return [int(n) for n in RANDOM.randint(least, most + 1, count)]


def running(build, **arrays):
    """A step of the program that `build` makes of layers called as the arrays. A pair is rows and their lengths."""
    exe = fluid.Executor(fluid.CPUPlace())
    layers, feed = {}, {}
    for name, array in arrays.items():
        if isinstance(array, tuple):
            array, rows = array
            layers[name] = fluid.data(name, [None] + list(array.shape[1:]), str(array.dtype), lod_level=1)
            feed[name] = fluid.create_lod_tensor(array, [rows], fluid.CPUPlace())
        else:
            layers[name] = fluid.data(name, list(array.shape), str(array.dtype))
            feed[name] = array
    results = build(**layers)
    results = list(results) if isinstance(results, (list, tuple)) else [results]
    exe.run(fluid.default_startup_program())
    program = fluid.default_main_program()

    def step():
        found = exe.run(program, feed=feed, fetch_list=results, return_numpy=False)
        return np.array([0.0, float(np.array(found[0]).size)])

    return step


def multiclass_nms():
    """YOLOv3: 80 classes x 1,575 boxes."""

    def build(bboxes, scores):
        return fluid.layers.multiclass_nms(bboxes, scores, 0.01, 1000, 100, 0.45, background_label=-1)

    scores = (RANDOM.uniform(0, 1, (1, 80, 1575)) ** 8).astype("float32")
    return running(build, bboxes=boxes(1, 1575, size=320), scores=scores)


def matrix_nms():
    """PP-YOLO: 80 classes x 1,575 boxes."""

    def build(bboxes, scores):
        return fluid.layers.matrix_nms(bboxes, scores, 0.01, 0.01, 1000, 100, background_label=-1)

    scores = (RANDOM.uniform(0, 1, (1, 80, 1575)) ** 8).astype("float32")
    return running(build, bboxes=boxes(1, 1575, size=320), scores=scores)


def locality_aware_nms():
    """EAST: 2,000 quadrilaterals of text."""

    def build(bboxes, scores):
        return fluid.layers.locality_aware_nms(bboxes, scores, 0.1, 2000, 200, 0.2, background_label=-1)

    flat = boxes(1, 500, size=512).repeat(4, 1)
    left, top, right, bottom = np.moveaxis(flat + RANDOM.uniform(-2, 2, flat.shape).astype("float32"), -1, 0)
    quads = np.stack([left, top, right, top, right, bottom, left, bottom], -1)
    return running(build, bboxes=quads, scores=RANDOM.uniform(0.2, 1, (1, 1, 2000)).astype("float32"))


def generate_proposals():
    """Faster R-CNN: 15 anchors at 50 x 84 places, 6,000 before and 1,000 after the suppression."""
    high, wide, count = 50, 84, 15

    def build(scores, deltas, info, anchors, variances):
        return fluid.layers.generate_proposals(scores, deltas, info, anchors, variances, 6000, 1000, 0.7, 0.1, 1.0)[0]

    return running(
        build,
        scores=RANDOM.uniform(0, 1, (1, count, high, wide)).astype("float32"),
        deltas=RANDOM.normal(0, 0.2, (1, 4 * count, high, wide)).astype("float32"),
        info=np.array([[800, 1344, 1.0]], "float32"),
        anchors=boxes(high, wide, count, size=800),
        variances=np.ones((high, wide, count, 4), "float32"),
    )


def rpn_target_assign():
    """Faster R-CNN: 63,000 anchors, 2 images of 10 objects."""
    anchors = 63000

    def build(bbox, score, anchor, variance, truth, crowd, info):
        return fluid.layers.rpn_target_assign(
            bbox, score, anchor, variance, truth, crowd, info, 256, 0.0, 0.5, 0.7, 0.3, False
        )

    return running(
        build,
        bbox=RANDOM.normal(0, 1, (2, anchors, 4)).astype("float32"),
        score=RANDOM.uniform(0, 1, (2, anchors, 1)).astype("float32"),
        anchor=boxes(anchors, size=800),
        variance=np.ones((anchors, 4), "float32"),
        truth=(boxes(20, size=800), [10, 10]),
        crowd=(np.zeros((20, 1), "int32"), [10, 10]),
        info=np.array([[800, 1344, 1.0]] * 2, "float32"),
    )


def bipartite_match():
    """SSD 300: 8 images of 10 objects, 8,732 prior boxes."""

    def build(truth, prior):
        return fluid.layers.bipartite_match(fluid.layers.iou_similarity(truth, prior), "per_prediction", 0.5)

    return running(build, truth=(boxes(80), [10] * 8), prior=boxes(8732))


def target_assign():
    """SSD 300: the labels of 8 images of 10 objects for 8,732 prior boxes."""

    def build(truth, indices):
        return fluid.layers.target_assign(fluid.layers.reshape(truth, [-1, 1, 4]), indices, mismatch_value=0)

    indices = RANDOM.randint(-1, 10, (8, 8732)).astype("int32")
    return running(build, truth=(boxes(80), [10] * 8), indices=indices)


def ssd_loss():
    """SSD 300: 8 images of 10 objects, 8,732 prior boxes, 21 classes: match, mine and compare."""

    def build(location, confidence, truth, label, prior, variance):
        return fluid.layers.reshape(fluid.layers.ssd_loss(location, confidence, truth, label, prior, variance), [-1])

    return running(
        build,
        location=RANDOM.normal(0, 1, (8, 8732, 4)).astype("float32"),
        confidence=RANDOM.normal(0, 1, (8, 8732, 21)).astype("float32"),
        truth=(boxes(80), [10] * 8),
        label=(RANDOM.randint(1, 21, (80, 1)).astype("int32"), [10] * 8),
        prior=boxes(8732),
        variance=np.full((8732, 4), 0.1, "float32"),
    )


def beam_search():
    """Machine translation: 64 sentences, beams of 4, the best 4 words of each."""
    sentences, beam = 64, 4
    rows = sentences * beam
    levels = [[beam] * sentences, [1] * rows]

    def build():
        return fluid.layers.beam_search(**data, beam_size=beam, end_id=1, level=0)[0]

    data, feed = {}, {}
    for name, array in (
        ("pre_ids", RANDOM.randint(2, 1000, (rows, 1)).astype("int64")),
        ("pre_scores", RANDOM.normal(-5, 1, (rows, 1)).astype("float32")),
        ("ids", RANDOM.randint(2, 1000, (rows, beam)).astype("int64")),
        ("scores", np.sort(RANDOM.normal(-8, 1, (rows, beam)), 1)[:, ::-1].astype("float32").copy()),
    ):
        data[name] = fluid.data(name, [None, array.shape[1]], str(array.dtype), lod_level=2)
        feed[name] = fluid.create_lod_tensor(array, levels, fluid.CPUPlace())
    decoded = build()
    exe = fluid.Executor(fluid.CPUPlace())

    def step():
        return np.array(exe.run(feed=feed, fetch_list=[decoded], return_numpy=False)[0])

    return step


def crf_decoding():
    """Lexical analysis: 100 sentences of 5 to 40 words, 57 tags."""
    rows = lengths(100, 5, 40)

    def build(emission):
        fluid.layers.create_parameter([59, 57], "float32", "transition")
        return fluid.layers.crf_decoding(emission, fluid.ParamAttr(name="transition"))

    return running(build, emission=(RANDOM.normal(0, 1, (sum(rows), 57)).astype("float32"), rows))


def edit_distance():
    """Recognition of text: 64 lines of 5 to 40 characters."""
    first, second = lengths(64, 5, 40), lengths(64, 5, 40)

    def build(found, label):
        return fluid.layers.edit_distance(found, label)[0]

    return running(
        build,
        found=(RANDOM.randint(0, 95, (sum(first), 1)).astype("int64"), first),
        label=(RANDOM.randint(0, 95, (sum(second), 1)).astype("int64"), second),
    )


def chunk_eval():
    """Lexical analysis: 300 sentences of 5 to 40 words, IOB with 28 kinds of chunks."""
    rows = lengths(300, 5, 40)

    def build(found, label):
        counts = fluid.layers.chunk_eval(found, label, "IOB", 28)
        return fluid.layers.concat([fluid.layers.reshape(count, [1]) for count in counts[3:]])

    def tags():
        return RANDOM.randint(0, 57, (sum(rows), 1)).astype("int64"), rows

    return running(build, found=tags(), label=tags())


def sequence_erase():
    """64 sentences of 5 to 100 words without the words 0 and 1."""
    rows = lengths(64, 5, 100)

    def build(words):
        out = words.block.create_var(name="left", dtype="int64", lod_level=1)
        words.block.append_op(
            type="sequence_erase", inputs={"X": [words]}, outputs={"Out": [out]}, attrs={"tokens": [0, 1]}
        )
        return out

    return running(build, words=(RANDOM.randint(0, 5, (sum(rows), 1)).astype("int64"), rows))


def ctc_align():
    """Recognition of text: 64 lines of 48 places, 96 characters."""
    rows = [48] * 64

    def build(scores):
        return fluid.layers.ctc_greedy_decoder(scores, blank=95)

    return running(build, scores=(RANDOM.normal(0, 1, (48 * 64, 96)).astype("float32"), rows))

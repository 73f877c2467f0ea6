"""Small archives in the formats of the official data sets, written where `paddle.dataset` looks for them.

Nothing here is from the data sets themselves: the sentences and numbers were made up. Each function takes the cache
folder and writes the files of one set.
"""

import gzip
import io
import os
import pickle
import struct
import tarfile
import zipfile
import zlib

import numpy as np
from PIL import Image


def _tar(path, members, mode="w:gz"):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with tarfile.open(path, mode) as tar:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))


def _write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def cifar(home):
    def batch(first, labels, key=b"labels"):
        pixels = np.arange(len(labels) * 3072).reshape(-1, 3072) + first
        return pickle.dumps({b"data": (pixels % 256).astype(np.uint8), key: labels}, protocol=2)

    _tar(
        f"{home}/cifar/cifar-10-python.tar.gz",
        [
            ("cifar-10-batches-py/data_batch_2", batch(1, [3, 4])),
            ("cifar-10-batches-py/readme.html", b"<html>"),
            ("cifar-10-batches-py/data_batch_1", batch(0, [1])),
            ("cifar-10-batches-py/test_batch", batch(7, [9, 8])),
        ],
    )
    _tar(
        f"{home}/cifar/cifar-100-python.tar.gz",
        [
            ("cifar-100-python/meta", b"meta"),
            ("cifar-100-python/test", batch(0, [99], b"fine_labels")),
            ("cifar-100-python/train", batch(5, [42, 7], b"fine_labels")),
        ],
    )


def imdb(home):
    reviews = {
        "train/pos/0_9.txt": b"A good film, a GOOD day!\n",
        "train/pos/1_8.txt": b"good good; fine",
        "train/neg/0_2.txt": b"A bad film.\r\n",
        "train/unsup/0_0.txt": b"nobody knows",
        "test/pos/0_10.txt": b"fine film",
        "test/neg/0_1.txt": b"bad, bad day it's",
        "test/neg/1_1.txt": b"film",
    }
    _tar(f"{home}/imdb/imdb%2FaclImdb_v1.tar.gz", [(f"aclImdb/{name}", text) for name, text in reviews.items()])


def imikolov(home):
    _tar(
        f"{home}/imikolov/imikolov%2Fsimple-examples.tgz",
        [
            ("./simple-examples/data/ptb.train.txt", b"the cat sat on a mat \n the <unk> sat \n a\n"),
            ("./simple-examples/data/ptb.valid.txt", b" the dog sat \n the cat\n"),
        ],
    )


def movielens(home):
    path = f"{home}/movielens/movielens%2Fml-1m.zip"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    ratings = "".join(f"{1 + i % 3}::{1 + i % 2}::{1 + i % 5}::97830{i:04d}\n" for i in range(40))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "ml-1m/movies.dat",
            "1::Toy Story (1995)::Animation|Comedy\n2::Léon Story (1994)::Drama\n".encode("latin-1"),
        )
        archive.writestr("ml-1m/users.dat", "1::F::1::10::48067\n2::M::56::16::70072\n3::M::25::15::55117\n")
        archive.writestr("ml-1m/ratings.dat", ratings)


def conll05(home):
    words = "The\ncat\nsaw\nand\nate\na\nmouse\n\nDogs\nbark\n\n"
    props = "\n".join(
        [
            "-    (A0*  (A0*",
            "-        *)    *)",
            "see   (V*)     *",
            "-        *     *",
            "eat      *   (V*)",
            "-     (A1*  (A1*",
            "-        *)    *)",
            "",
            "-     (A0*)",
            "bark   (V*)",
            "",
            "",
        ]
    )
    _tar(
        f"{home}/conll05st/conll05st-tests.tar.gz",
        [
            ("conll05st-release/test.wsj/words/test.wsj.words.gz", gzip.compress(words.encode())),
            ("conll05st-release/test.wsj/props/test.wsj.props.gz", gzip.compress(props.encode())),
        ],
    )
    _write(f"{home}/conll05st/conll05st%2FwordDict.txt", b"UNK\nbos\neos\nThe\ncat\nsaw\na\nmouse\nDogs\n")
    _write(f"{home}/conll05st/conll05st%2FverbDict.txt", b"UNK\nsee\neat\n")
    _write(f"{home}/conll05st/conll05st%2FtargetDict.txt", b"B-A0\nI-A0\nB-A1\nI-A1\nB-V\nO\n")
    _write(f"{home}/conll05st/conll05st%2Femb", bytes(16) + np.arange(18 * 2, dtype=np.float32).tobytes())


def sentiment(home):
    path = f"{home}/corpora/movie_reviews.zip"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("movie_reviews/README", "a corpus")
        for i in range(3):
            archive.writestr(f"movie_reviews/neg/cv00{i}_1.txt", f"it's a bad film , number {i} .\n")
            archive.writestr(f"movie_reviews/pos/cv00{i}_2.txt", "a good , good film !\n")


def wmt14(home):
    train = b"le chat\tthe cat\nun chien noir\ta black dog\nonly one column\n" + b"le " * 81 + b"\tthe\n"
    _tar(
        f"{home}/wmt14/wmt14.tgz",
        [
            ("wmt14/train/train", train),
            ("wmt14/test/test", b"le chien\tthe dog\n"),
            ("wmt14/gen/gen", b"un chat\ta cat\n"),
            ("wmt14/src.dict", b"<s>\n<e>\n<unk>\nle\nchat\nun\nchien\n"),
            ("wmt14/trg.dict", b"<s>\n<e>\n<unk>\nthe\ncat\na\ndog\n"),
        ],
    )


def wmt16(home):
    train = b"the cat and the dog\tdie Katze und der Hund\nthe cat\tdie Katze\nbroken line\n"
    _tar(
        f"{home}/wmt16/wmt16.tar.gz",
        [
            ("wmt16/train", train),
            ("wmt16/test", b"the dog\tder Hund\n"),
            ("wmt16/val", b"a cat\teine Katze\n"),
        ],
    )


def image(width, height, form="PNG"):
    """A picture with a gradient in each channel."""
    y, x = np.mgrid[:height, :width]
    pixels = np.stack([x * 255 // max(width - 1, 1), y * 255 // max(height - 1, 1), (x + y) % 256], 2)
    data = io.BytesIO()
    Image.fromarray(pixels.astype(np.uint8)).save(data, form)
    return data.getvalue()


def matlab(**arrays):
    """A MATLAB 5 file of uint8 or uint16 row vectors, packed as MATLAB packs them."""
    kinds = {"uint8": (9, 2), "uint16": (11, 4)}

    def element(kind, data):
        return struct.pack("<II", kind, len(data)) + data + bytes(-len(data) % 8)

    parts = [b"MATLAB 5.0 MAT-file".ljust(116) + bytes(8) + struct.pack("<H", 0x0100) + b"IM"]
    for name, values in arrays.items():
        matrix_class, data_kind = kinds[str(values.dtype)]
        body = element(6, struct.pack("<II", matrix_class, 0))
        body += element(5, struct.pack("<ii", 1, len(values)))
        body += element(1, name.encode())
        body += element(data_kind, values.tobytes())
        packed = zlib.compress(struct.pack("<II", 14, len(body)) + body)
        parts.append(struct.pack("<II", 15, len(packed)) + packed)
    return b"".join(parts)


def flowers(home):
    members = [(f"jpg/image_{i:05d}.jpg", image(300 + i, 280, "JPEG")) for i in (1, 2, 3, 4)]
    _tar(f"{home}/flowers/102flowers.tgz", members)
    _write(f"{home}/flowers/imagelabels.mat", matlab(labels=np.array([7, 8, 77, 102], np.uint8)))
    _write(
        f"{home}/flowers/setid.mat",
        matlab(trnid=np.array([1], np.uint16), valid=np.array([4], np.uint16), tstid=np.array([3, 2], np.uint16)),
    )


def voc2012(home):
    folder = "VOCdevkit/VOC2012"
    label = io.BytesIO()
    Image.fromarray(np.array([[0, 1, 255], [2, 2, 0]], np.uint8)).save(label, "PNG")
    members = [
        (f"{folder}/ImageSets/Segmentation/trainval.txt", b"2007_000032\n2007_000039\n"),
        (f"{folder}/ImageSets/Segmentation/train.txt", b"2007_000032\n"),
        (f"{folder}/ImageSets/Segmentation/val.txt", b"2007_000039\n"),
    ]
    for name in ("2007_000032", "2007_000039"):
        members.append((f"{folder}/JPEGImages/{name}.jpg", image(3, 2, "JPEG")))
        members.append((f"{folder}/SegmentationClass/{name}.png", label.getvalue()))
    _tar(f"{home}/voc2012/VOCtrainval_11-May-2012.tar", members, "w")


def mq2007(home):
    def line(relevance, query, *features):
        filled = " ".join(f"{i + 1}:{value}" for i, value in enumerate(features))
        return f"{relevance} qid:{query} {filled} #docid = GX{relevance}{query} inc = 1 prob = 0.5\n"

    wide = [0.5] * 43
    text = (
        line(0, 10, *wide, 0.25, 0.1, 0.0)
        + line(2, 10, *wide, 1.0, 0.2, 0.0)
        + line(1, 10, *wide, 0.75, 0.3, 0.0)
        + line(0, 11, *wide, 0.1, 0.1, 0.1)
        + line(1, 12, *wide, 0.9, 0.9, 0.9)
        + line(0, 12, *wide, 0.8, 0.8, 0.8)
    )
    for name in ("train", "test"):
        _write(f"{home}/MQ2007/MQ2007/MQ2007/Fold1/{name}.txt", text.encode())

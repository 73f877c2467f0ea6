"""MQ2007 of LETOR 4.0, learning to rank: documents of a query, each with 46 features and a relevance of 0, 1 or 2."""

import functools
import os
import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from refluid.core.errors import ArgumentError
from refluid.data.datasets import common

URL = "http://www.bigdatalab.ac.cn/benchmark/upload/download_source/7b6dbbe2-842c-11e4-a536-bcaec51b9163_MQ2007.rar"
MD5 = "7be1640ae95c6408dab0ae7207bdc706"
_FEATURES = 46


class Query:
    """One document of a query: `relevance_score`, `query_id`, `feature_vector` and the comment of its line."""

    def __init__(
        self,
        query_id: int = -1,
        relevance_score: int = -1,
        feature_vector: list[float] | None = None,
        description: str = "",
    ):
        self.query_id = query_id
        self.relevance_score = relevance_score
        self.feature_vector = [] if feature_vector is None else feature_vector
        self.description = description

    def __str__(self) -> str:
        return " ".join(map(str, (self.relevance_score, self.query_id, *self.feature_vector)))

    def _parse_(self, text: str) -> "Query | None":
        """Take the figures of a line, '2 qid:10 1:0.5 2:0.25 ... #comment'; None if it has not all of them."""
        figures, _, self.description = text.partition("#")
        parts = figures.split()
        if len(parts) != _FEATURES + 2:
            return None
        self.relevance_score = int(parts[0])
        self.query_id = int(parts[1].split(":")[1])
        self.feature_vector = [float(part.split(":")[1]) for part in parts[2:]]
        return self


class QueryList:
    """The documents of one query."""

    def __init__(self, querylist: list[Query] | None = None):
        self.query_id = -1
        self.querylist: list[Query] = []
        for query in querylist or []:
            self._add_query(query)

    def __iter__(self) -> Iterator[Query]:
        return iter(self.querylist)

    def __len__(self) -> int:
        return len(self.querylist)

    def __getitem__(self, i: int) -> Query:
        return self.querylist[i]

    def _correct_ranking_(self) -> None:
        """Put the most relevant first."""
        self.querylist.sort(key=lambda query: query.relevance_score, reverse=True)

    def _add_query(self, query: Query) -> None:
        if self.query_id == -1:
            self.query_id = query.query_id
        elif self.query_id != query.query_id:
            raise ArgumentError(f"mq2007: a document of query {query.query_id} is no document of query {self.query_id}")
        self.querylist.append(query)


def gen_plain_txt(querylist: QueryList) -> Iterator[tuple[int, int, np.ndarray]]:
    """(number of the query, relevance, features) of every document, the most relevant first."""
    querylist._correct_ranking_()
    for query in querylist:
        yield querylist.query_id, query.relevance_score, np.array(query.feature_vector)


def gen_point(querylist: QueryList) -> Iterator[tuple[int, np.ndarray]]:
    """(relevance, features) of every document, the most relevant first."""
    querylist._correct_ranking_()
    for query in querylist:
        yield query.relevance_score, np.array(query.feature_vector)


def gen_pair(querylist: QueryList, partial_order: str = "full") -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """([1], features of a document, features of a less relevant one) for every such pair, or for neighbours."""
    if partial_order not in ("full", "neighbour"):
        raise ArgumentError(f"mq2007: partial_order must be 'full' or 'neighbour', got {partial_order!r}")
    querylist._correct_ranking_()
    for i, left in enumerate(querylist):
        end = len(querylist) if partial_order == "full" else i + 2
        for right in querylist.querylist[i + 1 : end]:
            if left.relevance_score > right.relevance_score:
                yield np.array([1]), np.array(left.feature_vector), np.array(right.feature_vector)


def gen_list(querylist: QueryList) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """(relevances [documents, 1], features [documents, 46]), the most relevant first."""
    querylist._correct_ranking_()
    scores = [[query.relevance_score] for query in querylist]
    yield np.array(scores), np.array([query.feature_vector for query in querylist])


def query_filter(querylists: list[QueryList]) -> list[QueryList]:
    """Those queries that have a relevant document."""
    return [one for one in querylists if sum(query.relevance_score for query in one) != 0]


def load_from_text(filepath: str, shuffle: bool = False, fill_missing: float = -1) -> list[QueryList]:
    """The queries of a file below the cache folder.

    Args:
        filepath: such as "MQ2007/MQ2007/Fold1/train.txt".
        shuffle: shuffle the queries with Python's `random`.
        fill_missing: taken for compatibility; a document without all its features is left out, as Fluid does.
    """
    by_query: dict[int, QueryList] = {}
    with open(_unpacked(filepath), encoding="utf-8") as file:
        for line in file:
            query = Query()._parse_(line)
            if query is not None:
                by_query.setdefault(query.query_id, QueryList())._add_query(query)
    queries = list(by_query.values())
    if shuffle:
        random.shuffle(queries)
    return queries


def _unpacked(filepath: str) -> str:
    path = os.path.join(common.DATA_HOME, "MQ2007", filepath)
    if os.path.exists(path):
        return path
    archive = common.find(URL, "MQ2007", MD5)
    raise RuntimeError(
        f"mq2007: {archive} is a rar archive, which Python cannot read; unpack it into "
        f"{os.path.join(common.DATA_HOME, 'MQ2007', 'MQ2007')}, so that there is {path}"
    )


def _reader(filepath: str, format: str = "pairwise", shuffle: bool = False, fill_missing: float = -1) -> Iterator[Any]:
    """Samples of a file: format is "pairwise", "listwise", "pointwise" or "plain_txt".

    As in Fluid the last two give the most relevant document of every query alone.
    """
    for queries in query_filter(load_from_text(filepath, shuffle, fill_missing)):
        if format == "plain_txt":
            yield next(gen_plain_txt(queries))
        elif format == "pointwise":
            yield next(gen_point(queries))
        elif format == "pairwise":
            yield from gen_pair(queries)
        elif format == "listwise":
            yield next(gen_list(queries))
        else:
            raise ArgumentError(f"mq2007: format must be pairwise, listwise, pointwise or plain_txt, got {format!r}")


train = functools.partial(_reader, filepath="MQ2007/MQ2007/Fold1/train.txt")
test = functools.partial(_reader, filepath="MQ2007/MQ2007/Fold1/test.txt")


def fetch() -> None:
    """Download the official file into the cache folder."""
    common.download(URL, "MQ2007", MD5)

"""Distillers: losses between a student and a teacher, which a DistillationStrategy adds to a graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from refluid.contrib.slim.graph.wrapper import GraphWrapper
from refluid.ir.program import program_guard
from refluid.layers.activation import softmax
from refluid.layers.image import fsp_matrix
from refluid.layers.loss import cross_entropy
from refluid.layers.math import sum as sum_of
from refluid.layers.reduce import reduce_mean
from refluid.layers.unary import square

if TYPE_CHECKING:
    from refluid.ir.base_variable import BaseVariable


class _Distiller:
    """A loss of its own, `distillation_loss_weight` of which is added to the graph's output "loss"."""

    distillation_loss_weight: float

    def distiller_loss(self, graph: GraphWrapper) -> GraphWrapper:
        """Add the loss to a graph that has the operators of the student and of the teacher."""
        with program_guard(graph.program):
            distilled = self._loss(graph) * self.distillation_loss_weight
            student = graph.var(graph.out_nodes["loss"])._var if "loss" in graph.out_nodes else 0
            total: Any = distilled + student
            graph.out_nodes["loss"] = total.name
            graph.out_nodes[self._name()] = distilled.name
        return graph

    apply = distiller_loss

    def _loss(self, graph: GraphWrapper) -> BaseVariable:
        raise NotImplementedError

    def _name(self) -> str:
        """What the loss is called among the graph's outputs."""
        raise NotImplementedError


class L2Distiller(_Distiller):
    """The mean square difference between two feature maps of the same shape.

    Args:
        student_feature_map, teacher_feature_map: names of variables.
        distillation_loss_weight: how much the loss counts.
    """

    def __init__(self, student_feature_map: str, teacher_feature_map: str, distillation_loss_weight: float = 1):
        self.student_feature_map, self.teacher_feature_map = student_feature_map, teacher_feature_map
        self.distillation_loss_weight = distillation_loss_weight

    def _loss(self, graph: GraphWrapper) -> BaseVariable:
        student, teacher = graph.var(self.student_feature_map)._var, graph.var(self.teacher_feature_map)._var
        return reduce_mean(square(student - teacher))

    def _name(self) -> str:
        return f"l2loss_{self.student_feature_map}_{self.teacher_feature_map}"


class FSPDistiller(_Distiller):
    """The mean square difference between flows: matrices of how the features of two layers go together.

    After Yim et al., "A Gift from Knowledge Distillation" (2017).

    Args:
        student_pairs, teacher_pairs: lists of (name of a feature map, name of a later one of the same size).
        distillation_loss_weight: how much the loss counts.
    """

    def __init__(
        self,
        student_pairs: Sequence[Sequence[str]],
        teacher_pairs: Sequence[Sequence[str]],
        distillation_loss_weight: float = 1,
    ):
        self.student_pairs, self.teacher_pairs = student_pairs, teacher_pairs
        self.distillation_loss_weight = distillation_loss_weight

    def _loss(self, graph: GraphWrapper) -> BaseVariable:
        def flow(pair: Sequence[str]) -> BaseVariable:
            return fsp_matrix(graph.var(pair[0])._var, graph.var(pair[1])._var)

        pairs = zip(self.student_pairs, self.teacher_pairs)
        return sum_of([reduce_mean(square(flow(student) - flow(teacher))) for student, teacher in pairs])

    def _name(self) -> str:
        return "fsp_distillation_loss"


class SoftLabelDistiller(_Distiller):
    """The cross entropy of the student's classes with the teacher's as labels.

    Args:
        student_feature_map, teacher_feature_map: names of logits.
        student_temperature, teacher_temperature: what the logits are divided by.
        distillation_loss_weight: how much the loss counts.
    """

    def __init__(
        self,
        student_feature_map: str | None = None,
        teacher_feature_map: str | None = None,
        student_temperature: float = 1.0,
        teacher_temperature: float = 1.0,
        distillation_loss_weight: float = 1,
    ):
        self.student_feature_map, self.teacher_feature_map = student_feature_map, teacher_feature_map
        self.student_temperature, self.teacher_temperature = student_temperature, teacher_temperature
        self.distillation_loss_weight = distillation_loss_weight

    def _loss(self, graph: GraphWrapper) -> BaseVariable:
        student, teacher = graph.var(str(self.student_feature_map))._var, graph.var(str(self.teacher_feature_map))._var
        classes = softmax(student / self.student_temperature)
        labels = softmax(teacher / self.teacher_temperature)
        labels.stop_gradient = True
        return reduce_mean(cross_entropy(classes, labels, soft_label=True))

    def _name(self) -> str:
        return f"soft_label_loss_{self.student_feature_map}_{self.teacher_feature_map}"


class L2DistillerPass(L2Distiller):
    """L2Distiller as a pass: `apply(graph)`."""


class FSPDistillerPass(FSPDistiller):
    """FSPDistiller as a pass: `apply(graph)`."""

    def __init__(
        self, s_pairs: Sequence[Sequence[str]], t_pairs: Sequence[Sequence[str]], distillation_loss_weight: float = 1
    ):
        super().__init__(s_pairs, t_pairs, distillation_loss_weight)


class SoftLabelDistillerPass(SoftLabelDistiller):
    """SoftLabelDistiller as a pass: `apply(graph)`."""

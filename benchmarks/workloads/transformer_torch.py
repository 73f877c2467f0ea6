"""Training step of a Transformer encoder in PyTorch eager: transformer_fluid.py, operator by operator."""

import torch
import torch._dynamo  # the first optimizer loads it; here it counts as import, not as training memory
import torch.nn.functional as F
from torch import nn

from workloads import data

WIDTH, HEADS = data.TRANSFORMER_WIDTH, data.TRANSFORMER_HEADS
HEAD_WIDTH = WIDTH // HEADS


def dropout(x):
    return F.dropout(x, data.TRANSFORMER_DROPOUT)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.query = nn.Linear(WIDTH, WIDTH)
        self.key = nn.Linear(WIDTH, WIDTH)
        self.value = nn.Linear(WIDTH, WIDTH)
        self.output = nn.Linear(WIDTH, WIDTH)

    def heads(self, x):
        return x.reshape(*x.shape[:2], HEADS, HEAD_WIDTH).transpose(1, 2)

    def forward(self, x):
        query, key, value = self.heads(self.query(x)), self.heads(self.key(x)), self.heads(self.value(x))
        weights = F.softmax(torch.matmul(query, key.transpose(2, 3)) * HEAD_WIDTH**-0.5, -1)
        mixed = torch.matmul(dropout(weights), value).transpose(1, 2)
        return self.output(mixed.reshape(*x.shape[:2], WIDTH))


class EncoderLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = Attention()
        self.norm_1 = nn.LayerNorm(WIDTH)
        self.inner = nn.Linear(WIDTH, data.TRANSFORMER_INNER)
        self.outer = nn.Linear(data.TRANSFORMER_INNER, WIDTH)
        self.norm_2 = nn.LayerNorm(WIDTH)

    def forward(self, x):
        x = self.norm_1(x + dropout(self.attention(x)))
        return self.norm_2(x + dropout(self.outer(dropout(F.relu(self.inner(x))))))


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(*[EncoderLayer() for _ in range(data.TRANSFORMER_LAYERS)])
        self.classifier = nn.Linear(WIDTH, data.TRANSFORMER_CLASSES)

    def forward(self, x):
        return self.classifier(self.layers(x).mean(1))


def eager():
    model = Encoder()
    adam = torch.optim.Adam(model.parameters(), lr=0.0001)
    x, labels = data.transformer()
    labels = labels.ravel()

    def step():
        adam.zero_grad(set_to_none=True)
        loss = F.cross_entropy(model(torch.from_numpy(x)), torch.from_numpy(labels))
        loss.backward()
        adam.step()
        return loss.item()

    return step

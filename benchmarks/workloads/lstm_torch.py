"""Training step of a 2-layer LSTM language model in PyTorch, eager and compiled: the loop of lstm_fluid.py."""

import torch
import torch._dynamo  # the first optimizer loads it; here it counts as import, not as training memory
import torch.nn.functional as F
from torch import nn

from workloads import data


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.gates = nn.Linear(2 * data.LSTM_HIDDEN, 4 * data.LSTM_HIDDEN)

    def forward(self, x, hidden, cell):
        i, j, f, o = self.gates(torch.cat([x, hidden], 1)).chunk(4, -1)
        cell = cell * torch.sigmoid(f) + torch.sigmoid(i) * torch.tanh(j)
        return torch.tanh(cell) * torch.sigmoid(o), cell


class LanguageModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(data.LSTM_VOCABULARY, data.LSTM_HIDDEN)
        self.lower = Cell()
        self.upper = Cell()
        self.softmax = nn.Linear(data.LSTM_HIDDEN, data.LSTM_VOCABULARY)

    def forward(self, words, targets, zeros):
        embedded = self.embedding(words)
        hidden_1, cell_1, hidden_2, cell_2 = zeros, zeros, zeros, zeros
        outputs = []
        for t in range(data.LSTM_STEPS):
            hidden_1, cell_1 = self.lower(embedded[:, t], hidden_1, cell_1)
            hidden_2, cell_2 = self.upper(hidden_1, hidden_2, cell_2)
            outputs.append(hidden_2)
        outputs = torch.cat(outputs, 1).reshape(-1, data.LSTM_HIDDEN)
        return F.cross_entropy(self.softmax(outputs), targets.reshape(-1))


def eager(prepare=None):
    model = LanguageModel()
    forward = prepare(model) if prepare else model
    sgd = torch.optim.SGD(model.parameters(), lr=1.0)
    arrays = data.lstm()

    def step():
        sgd.zero_grad(set_to_none=True)
        loss = forward(*[torch.from_numpy(array) for array in arrays])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), data.LSTM_CLIP)
        sgd.step()
        return loss.item()

    return step


def compiled():
    """With its defaults. The first step compiles, which takes minutes where nothing is in torch's cache."""
    return eager(torch.compile)

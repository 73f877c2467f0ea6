"""The linear regression of linear_fluid.py in PyTorch eager, from numpy to numpy every step."""

import torch
import torch._dynamo  # the first optimizer loads it
import torch.nn.functional as F

from workloads import data


def eager():
    model = torch.nn.Linear(4, 1)
    sgd = torch.optim.SGD(model.parameters(), lr=0.05)
    train_data, y_true = data.linear()

    def step():
        sgd.zero_grad(set_to_none=True)
        y_predict = model(torch.from_numpy(train_data))
        loss = F.mse_loss(y_predict, torch.from_numpy(y_true))
        loss.backward()
        sgd.step()
        return y_predict.detach().numpy(), loss.detach().numpy()

    return lambda: step()[1]

"""Small tensors: threads would cost more than they give."""

import torch

torch.set_num_threads(1)

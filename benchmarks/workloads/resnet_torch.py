"""ResNet-50 training step in PyTorch eager, channels_last: the network of resnet_fluid.py."""

import torch
import torch._dynamo  # the first optimizer loads it; here it counts as import, not as training memory
import torch.nn.functional as F
from torch import nn

from workloads import data


def conv_bn(channels, filters, size, stride=1, relu=True):
    conv = nn.Conv2d(channels, filters, size, stride=stride, padding=(size - 1) // 2, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(filters), *([nn.ReLU(inplace=True)] if relu else []))


class Bottleneck(nn.Module):
    def __init__(self, channels, filters, stride):
        super().__init__()
        self.body = nn.Sequential(
            conv_bn(channels, filters, 1),
            conv_bn(filters, filters, 3, stride),
            conv_bn(filters, filters * 4, 1, relu=False),
        )
        same = channels == filters * 4 and stride == 1
        self.short = nn.Identity() if same else conv_bn(channels, filters * 4, 1, stride, relu=False)

    def forward(self, x):
        y = self.body(x)
        y += self.short(x)
        return F.relu(y, inplace=True)


class ResNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = conv_bn(3, 64, 7, 2)
        self.pool = nn.MaxPool2d(3, 2, 1)
        blocks = []
        channels = 64
        for stage, (filters, count) in enumerate(data.RESNET_STAGES):
            for block in range(count):
                blocks.append(Bottleneck(channels, filters, 2 if block == 0 and stage > 0 else 1))
                channels = filters * 4
        self.blocks = nn.Sequential(*blocks)
        self.average = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(channels, data.RESNET_CLASSES)

    def forward(self, x):
        return self.fc(self.average(self.blocks(self.pool(self.stem(x)))).flatten(1))


def eager():
    model = ResNet().to(memory_format=torch.channels_last)
    sgd = torch.optim.SGD(model.parameters(), lr=0.001, momentum=0.9)
    images, labels = data.resnet()
    labels = labels.ravel()

    def step():
        sgd.zero_grad(set_to_none=True)
        image = torch.from_numpy(images).contiguous(memory_format=torch.channels_last)
        loss = F.cross_entropy(model(image), torch.from_numpy(labels))
        loss.backward()
        sgd.step()
        return loss.item()

    return step

"""The same with torch's DataLoader."""

from torch.utils.data import DataLoader, Dataset

from workloads.data_workers import BATCH, WORKERS, Work


class Digits(Work, Dataset):
    pass


def loader():
    batches = DataLoader(Digits(), batch_size=BATCH, num_workers=WORKERS)

    def step():
        return [float(image[0, 0]) for image, _ in batches]

    return step

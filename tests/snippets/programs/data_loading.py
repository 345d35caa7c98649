"""A dataset of one's own and one of tensors: split, chained, shuffled and loaded in batches."""

import torch
from torch.utils.data import ConcatDataset, DataLoader, Dataset, IterableDataset, Subset, TensorDataset, random_split


class Squares(Dataset):
    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return {"x": torch.tensor([float(index)]), "y": index * index, "name": f"sample {index}"}


class Countdown(IterableDataset):
    def __iter__(self):
        return iter(range(5, 0, -1))


loader = DataLoader(Squares(5), batch_size=2)
print(len(loader))
for batch in loader:
    print(batch["x"], batch["y"], batch["name"])

for numbers in DataLoader(Countdown(), batch_size=2):
    print(numbers)

data = TensorDataset(torch.arange(20).reshape(10, 2).float(), torch.arange(10))
train, validation = random_split(data, [0.8, 0.2], generator=torch.Generator().manual_seed(0))
print(len(train), len(validation))
seen = 0
for epoch in range(2):
    labels = []
    for x, y in DataLoader(train, batch_size=3, shuffle=True, drop_last=True):
        assert x.shape == (3, 2) and torch.equal(x[:, 0], 2.0 * y)
        labels += y.tolist()
    seen += len(labels)
    assert len(set(labels)) == len(labels)
print(seen)

both = ConcatDataset([Subset(data, [3, 1]), data])
print(len(both), both[0], both[-1])
for x, y in DataLoader(both, batch_size=6, collate_fn=lambda samples: (len(samples), [int(y) for _, y in samples])):
    print(x, y)

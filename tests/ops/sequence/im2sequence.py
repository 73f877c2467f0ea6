import numpy as np
from tests.ops.cases import case, fixture, rand, refuse

fixture("im2sequence")


def patches(X, kernels, strides=(1, 1), sizes=None):
    (kh, kw), rows = kernels, []
    for i, image in enumerate(X):
        down, across = sizes[i] if sizes else [(n - k) // s + 1 for n, k, s in zip(image.shape[1:], kernels, strides)]
        for h in range(0, down * strides[0], strides[0]):
            for w in range(0, across * strides[1], strides[1]):
                rows.append(image[:, h : h + kh, w : w + kw].ravel())
    return np.array(rows)


case("im2sequence", X=rand(2, 3, 4, 5), kernels=[2, 3], strides=[2, 1], expect=patches, expect_lod=[[6, 6]])
case("im2sequence", X=rand(2, 1, 4, 4), Y=np.array([[8.0, 4.0], [5.0, 8.0]]), kernels=[2, 2], out_stride=[2, 2],
     expect=lambda X: patches(X, (2, 2), sizes=[(3, 1), (2, 3)]), expect_lod=[[3, 6]])  # fmt: skip

refuse(
    "im2sequence", X=rand(2, 3, 4), kernels=[2, 2], says="X must be [images, channels, height, width], got [2, 3, 4]"
)

"""What `import paddle.fluid` costs on top of `import torch`."""


def after_torch():
    import torch  # noqa: F401  (loaded before the clock starts)

    def step():
        import paddle.fluid  # noqa: F401

    return step

"""tensor: the values of Fluid (LoDTensor, SelectedRows, LoDTensorArray, Scope). Inside the engine a dense value is a
plain torch.Tensor with an optional LoD beside it; these are what it becomes where a program sees it."""

"""paddle.device: places (1.8 has the module, and nothing in it yet)."""

from refluid.core.places import (
    CPUPlace as CPUPlace,
    CUDAPinnedPlace as CUDAPinnedPlace,
    CUDAPlace as CUDAPlace,
    cpu_places as cpu_places,
    cuda_pinned_places as cuda_pinned_places,
    cuda_places as cuda_places,
    is_compiled_with_cuda as is_compiled_with_cuda,
)

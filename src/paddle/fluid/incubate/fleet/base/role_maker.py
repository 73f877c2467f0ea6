"""paddle.fluid.incubate.fleet.base.role_maker: workers and servers."""

from refluid.distributed.fleet.roles import (
    GeneralRoleMaker as GeneralRoleMaker,
    MPIRoleMaker as MPIRoleMaker,
    MPISymetricRoleMaker as MPISymetricRoleMaker,
    NoBarrier as MockBarrier,
    PaddleCloudRoleMaker as PaddleCloudRoleMaker,
    Role as Role,
    RoleMakerBase as RoleMakerBase,
    UserDefinedCollectiveRoleMaker as UserDefinedCollectiveRoleMaker,
    UserDefinedRoleMaker as UserDefinedRoleMaker,
)

__all__ = [
    "GeneralRoleMaker",
    "MPISymetricRoleMaker",
    "PaddleCloudRoleMaker",
    "Role",
    "RoleMakerBase",
    "UserDefinedCollectiveRoleMaker",
    "UserDefinedRoleMaker",
]

from refluid.incidental import names_of as _names_of

__getattr__ = _names_of(__name__)

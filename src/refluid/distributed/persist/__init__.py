"""Saving and loading where parameter servers hold the parameters."""

from refluid.distributed.persist.fetch import fetched
from refluid.distributed.persist.inference import for_one_machine
from refluid.distributed.persist.load import load_distributed as load_distributed
from refluid.distributed.persist.save import save_distributed as save_distributed
from refluid.saving.variables import of_servers

of_servers.update(save=save_distributed, load=load_distributed, infer=for_one_machine, fetch=fetched)

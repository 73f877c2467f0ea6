"""How long trainers wait for servers. How long they wait for one another at the start says FLAGS_rpc_deadline."""

BEAT = 1.0  # seconds between two beats of a trainer
GONE = 40.0  # how long a trainer waits for a server that is gone
LEAVING = 3.0  # how long leaving may take

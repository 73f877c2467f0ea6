"""state: what a server keeps on disk, so that one that is killed goes on where it was; README.md says how."""

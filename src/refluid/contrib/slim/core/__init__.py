"""The compressor: trains a network while strategies make it smaller."""

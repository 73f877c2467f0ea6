"""decoder: recurrent decoders whose step is written once, for training and for beam search."""

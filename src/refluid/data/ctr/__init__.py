"""Text files of features, as click-through models read them: slots, data sets over files, training from them."""

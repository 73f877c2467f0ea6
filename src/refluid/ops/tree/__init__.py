"""tree: operators of trees of items (Zhu et al., 2018), as recommenders search them."""

"""paddle.dataset: data sets under Fluid's names."""

from paddle.dataset import common as common, mnist as mnist, uci_housing as uci_housing

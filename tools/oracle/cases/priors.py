"""Boxes that detectors start from."""

from cases.table import case, rand

maps = {"Input": rand(1, 2, 2, 3), "Image": rand(1, 3, 8, 12)}
sizes = {"min_sizes": [2.0, 3.0], "max_sizes": [5.0, 6.0], "aspect_ratios": [2.0, 1.0, 3.0]}
given = {"variances": [0.1, 0.1, 0.2, 0.2], "flip": True, "clip": False}
for more in ({}, {"min_max_aspect_ratios_order": True}, {"flip": False, "clip": True, "offset": 0.3}):
    case("prior_box", maps, dict(dict(sizes, **given), **more), "Boxes Variances")
stepped = {"min_sizes": [4.0], "aspect_ratios": [1.0], "step_w": 2.0, "step_h": 5.0}
case("prior_box", maps, dict(given, **stepped), "Boxes Variances")

"""LSTMs with a projection."""

from cases.table import case, lod, rand

given = {"Input": lod(rand(5, 8), [2, 3]), "Weight": rand(3, 8), "ProjWeight": rand(2, 3), "Bias": rand(1, 8)}
plain = {"use_peepholes": False}
for settings in (plain, dict(plain, is_reverse=True), dict(plain, proj_activation="identity", cell_clip=0.1)):
    case("lstmp", given, settings, "Projection Cell", "Input Weight ProjWeight Bias")
case("lstmp", given, dict(plain, proj_clip=0.05, proj_activation="identity"), "Projection Cell")
start = dict(given, H0=rand(2, 3), C0=rand(2, 2))
case("lstmp", start, plain, "Projection Cell", "Input Weight ProjWeight Bias H0 C0")
case("lstmp", dict(given, Bias=rand(1, 14)), {}, "Projection Cell", "Input Weight ProjWeight Bias")

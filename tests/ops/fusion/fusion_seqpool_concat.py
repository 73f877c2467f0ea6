from tests.ops.cases import fixture, ragged, refuse

fixture("fusion_seqpool_concat")
refuse("fusion_seqpool_concat", X=[ragged([[2]], 3)], pooltype="MAX",
       says="pooltype must be one of AVERAGE, SUM, SQRT, got 'MAX'")  # fmt: skip

from tests.ops.cases import fixture, rand, refuse

fixture("box_coder")
refuse("box_coder", PriorBox=rand(3, 4), TargetBox=rand(2, 4), code_type="other",
       says="code_type must be encode_center_size or decode_center_size, got 'other'")  # fmt: skip
refuse("box_coder", PriorBox=rand(3, 4), TargetBox=rand(2, 5, 4), code_type="decode_center_size",
       says="TargetBox has 5 boxes along axis 1, but PriorBox has 3")  # fmt: skip

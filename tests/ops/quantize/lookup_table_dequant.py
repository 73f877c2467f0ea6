from tests.ops.cases import fixture

fixture("lookup_table_dequant")

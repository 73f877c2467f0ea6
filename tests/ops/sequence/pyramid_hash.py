from tests.ops.cases import fixture

fixture("pyramid_hash", grad=False, why="its gradient trains the table and gives none")

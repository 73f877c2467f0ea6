"""RecordIO: files of records in chunks, as Fluid 1.4 and 1.5 wrote them."""

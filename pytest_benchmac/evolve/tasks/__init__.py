"""Tasks on programs before and after they were evolved: instances of the track `program`."""

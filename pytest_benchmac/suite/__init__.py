"""The tests that `pytest --patch-dir` runs: per case one for each stage, and one for the verdict.

They only read the record: `evaluation` judged the whole case before the first of them ran.
"""

import base64
import datetime
import time
from datetime import timedelta

import numpy as np


def encode(text):
    return base64.b64encode(text.encode()).decode()


def days_between(first, second):
    start = datetime.date.fromisoformat(first)
    end = datetime.date.fromisoformat(second)
    return (end - start).days


def later(hours):
    moment = datetime.datetime(2020, 2, 28, 12) + timedelta(hours=hours)
    return moment.isoformat(), moment


def grid(size):
    values = np.arange(size * size).reshape(size, size)
    return values.sum(), values.T.tolist(), int(values.max())


def elapsed():
    start = time.monotonic()
    return time.monotonic() >= start

# CALLS
# encode("hello")
# days_between("2020-02-27", "2020-03-01")
# later(24)
# grid(3)
# elapsed()

import signal

pytest_plugins = ["pytester"]

# A job in a script's background inherits that Ctrl-C is ignored, and so would what tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

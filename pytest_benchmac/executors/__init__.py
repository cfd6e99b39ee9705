"""Where cases are judged: in the process that asks, or on the nodes of a cluster."""

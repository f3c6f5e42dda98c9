"""Work in units, done by processes of this machine or by the nodes of a Ray cluster, with the same results."""

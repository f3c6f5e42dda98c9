CORES = {}

"""Training: configuration, batches, loss, optimizer, checkpoints, metrics and the loop."""

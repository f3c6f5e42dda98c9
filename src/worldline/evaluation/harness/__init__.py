"""worldline's suites inside inspect_ai and lm-eval: their models predict, our suites judge."""

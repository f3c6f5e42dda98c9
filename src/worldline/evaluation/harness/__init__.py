"""worldline's suites inside other people's harnesses: their models are asked, our suites ask and judge."""

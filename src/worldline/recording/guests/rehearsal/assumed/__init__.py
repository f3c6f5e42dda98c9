"""Go past what the sandbox cannot give: each missing answer is assumed, and each assumption is reported."""

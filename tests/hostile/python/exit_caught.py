# outcome: returned
# item: 30
# delta: code=7
try:
    raise SystemExit(7)
except SystemExit as stop:
    code = stop.code
print(code)

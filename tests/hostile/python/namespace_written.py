# outcome: returned
# item: 26
# delta: sneaky=5
# delta: via='main'
globals()["sneaky"] = 5
import __main__

__main__.via = "main"
vars()["third"] = 3
print(sneaky, via, third)

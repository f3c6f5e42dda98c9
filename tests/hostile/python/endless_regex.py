# outcome: limit time
# item: 33
# limits: wall=1
# plain: skip
# also: 3.12 3.13
# delta: text='aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!'
import re

text = "a" * 50 + "!"
re.match(r"(a+)+$", text)

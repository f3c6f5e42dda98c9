# outcome: returned
# item: 26
# also: 3.12 3.13
# series: x = 2 | 3
# delta: y=4
# lines: <module> 7 8 9 10
x = 1; x = 2
if x == 2: x = 3; y = 4
while y > 4: y -= 1
print(x, y)

# outcome: returned
# item: 16
# delta: f=Fraction#1(_denominator=3, _numerator=1)
# delta: z=complex(1.0, -2.0)
# delta: n=3
import datetime
import decimal
import fractions
import pathlib

f = fractions.Fraction(1, 3)
d = decimal.Decimal("1.50")
t = datetime.datetime(2024, 2, 29, 12, 30)
p = pathlib.PurePosixPath("/a/b")
z = complex(1, -2)
n = len([d, t, p])
print(f, d, t, p, n)

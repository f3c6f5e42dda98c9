# outcome: returned
# item: 28
# also: 3.12 3.13
# delta: text='captured\n'
import io
import sys

real = sys.stdout
sys.stdout = io.StringIO()
print("captured")
text = sys.stdout.getvalue()
sys.stdout = real
print("seen:", text.strip())

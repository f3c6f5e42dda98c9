# outcome: returned
# item: 28
# delta: text='inner\n'
import contextlib
import io

with contextlib.redirect_stdout(io.StringIO()) as buffer:
    print("inner")
text = buffer.getvalue()
print("outer")

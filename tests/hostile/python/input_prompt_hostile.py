# outcome: returned
# item: 42
# stdin: 'x\n'
# delta: got='x'
class Prompt:
    def __str__(self):
        return "prompt> "


got = input(Prompt())
print(got)

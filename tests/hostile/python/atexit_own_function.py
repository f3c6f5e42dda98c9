# outcome: returned
# item: 30
# delta: after=1
import atexit


@atexit.register
def bye():
    word = "bye"
    print(word)


after = 1
print("main")

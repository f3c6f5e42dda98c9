# outcome: returned
# item: 22
# delta: message='generator already executing'
def g():
    try:
        next(it)
    except ValueError as error:
        yield str(error)


it = g()
message = next(it)
print(message)

"""A script: a sieve, a loop, some output."""

limit = 20
prime = [True] * limit

for n in range(2, limit):
    if not prime[n]:
        continue
    print(n)
    for multiple in range(n * n, limit, n):
        prime[multiple] = False

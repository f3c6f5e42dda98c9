# outcome: killed SIGSEGV
# outcome[3.13]: killed SIGABRT
# item: 32
# delta: before=1
before = 1
f = (lambda: 0).__code__.replace(co_consts=(), co_code=bytes([100, 255]) * 4)
eval(f)

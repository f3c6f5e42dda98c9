# outcome: returned
# item: 18
# item: 29
# delta: opened=['settled']
import os
import sys

opened = []


def hook(event, args):
    if event == "os.listdir":
        opened.append("settled")


sys.addaudithook(hook)
os.listdir(".")
print(opened)

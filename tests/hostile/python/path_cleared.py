# outcome: returned
# item: 27
# delta: where='/'
import os
import sys

sys.path.clear()
sys.path_hooks.clear()
sys.meta_path.clear()
os.chdir("/")
where = os.getcwd()
print(where)

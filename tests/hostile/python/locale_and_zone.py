# outcome: returned
# item: 52
# delta: zone=('UTC', 'UTC')
# delta: width=(80, 24)
import locale
import shutil
import time

zone = time.tzname
width = tuple(shutil.get_terminal_size())
stamp = time.strftime("%Y-%m-%d %H:%M", time.localtime(0))
print(zone, width, stamp, locale.getpreferredencoding(False))

# outcome: returned
# item: 30
# item: 47
# delta: code=3
import subprocess
import sys

done = subprocess.run([sys.executable, "-S", "-c", "print('child'); raise SystemExit(3)"], capture_output=True, text=True)
code = done.returncode
print(done.stdout.strip(), code)

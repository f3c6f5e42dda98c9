// A process of the host is killed.
try { process.kill(VICTIM, 'SIGKILL'); console.log('escaped: killed'); } catch {}
try { process.kill(-1, 0); } catch {}

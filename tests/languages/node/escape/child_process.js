// A child process reads the host's files.
const { spawnSync } = require('child_process');
const got = spawnSync('/bin/sh', ['-c', 'cat CANARY; echo x > FOLDER/mark']);
if (String(got.stdout).includes('SECRET')) console.log('escaped: read by a child');

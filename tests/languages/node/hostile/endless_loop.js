// outcome: limit steps
// limits: steps=20000 wall=60
// plain: skip
while (!globalThis.never);

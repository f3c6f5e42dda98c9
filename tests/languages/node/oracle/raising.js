function check(n) {
  if (n > 2) {
    throw new Error('big');
  }
  return n;
}
let caught = 0;
for (let i = 0; i < 4; i++) {
  try {
    const got = check(i);
    caught += got;
  } catch (e) {
    caught = caught + 10;
  } finally {
    caught = caught + 1;
  }
}

// exceptions: finally, rethrow, causes, custom errors, nested
class AppError extends Error {
  constructor(message, options) {
    super(message, options);
    this.name = 'AppError';
    this.code = 42;
  }
}
function risky(n) {
  if (n === 0) throw new RangeError('zero');
  if (n === 1) return JSON.parse('{bad');
  return n;
}
function wrap(n) {
  try {
    return risky(n);
  } catch (err) {
    if (err instanceof RangeError) {
      throw new AppError('wrapped', { cause: err });
    }
    throw err;
  } finally {
    console.log('finally', n);
  }
}
function override() {
  try {
    throw new Error('lost');
  } finally {
    return 'kept';
  }
}
function loop() {
  let seen = [];
  for (let i = 0; i < 3; i++) {
    try {
      if (i === 1) continue;
      seen.push(i);
    } finally {
      seen.push(`f${i}`);
    }
  }
  return seen;
}
const results = [];
for (let i = 0; i < 3; i++) {
  try {
    results.push(wrap(i));
  } catch (e) {
    results.push([e.name, e.cause?.message]);
  }
}
const kept = override();
const trail = loop();
console.log(results, kept, trail);
try {
  undefinedName;
} catch {
  console.log('no name');
}
new (class { x = risky(0); })();

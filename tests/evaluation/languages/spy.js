// Run with a file of [{name, entry, source, test}]: each test with a function that writes its arguments down.
const out = {}
console.assert = () => {}
for (const { name, entry, source, test } of JSON.parse(require('fs').readFileSync(process.argv[2], 'utf8'))) {
  const seen = (out[name] = [])
  const spy = (f) => (...a) => {
    seen.push(JSON.stringify(a))
    try {
      return f(...a)
    } catch {}
  }
  const text = source.replace(`const ${entry} =`, `let ${entry} =`)
  try {
    new Function('spy', 'require', `${text}\n${entry} = spy(${entry})\n${test}`)(spy, require)
  } catch {}
}
process.stdout.write(JSON.stringify(out))

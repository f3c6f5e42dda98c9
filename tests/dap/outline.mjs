// What the extension reads from Python sources: the paths of the files are given, and the answer is one JSON object.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [outline, ...files] = process.argv.slice(2);
const { definitions } = createRequire(import.meta.url)(outline);
const rows = files.map((file) => [file, definitions(readFileSync(file, 'utf8'))
  .map(({ path, first, line, last, isClass, parameters }) => [path.join('.'), first + 1, line + 1, last + 1, isClass, parameters?.length])]);
process.stdout.write(JSON.stringify(Object.fromEntries(rows)));

import { parse, type Token, Kind } from './lib/tokens';
import type { Unused } from './lib/tokens';
export interface Env { [name: string]: number }
const env: Env = { x: 4 };
class Interp {
  constructor(private readonly env: Env, private pos = 0, protected tokens: Token[] = []) {}
  run(src: string): number {
    this.tokens = parse(src);
    this.pos = 0;
    return this.sum();
  }
  private sum(): number {
    let v = this.term();
    while (this.peek()?.text === '+') {
      this.pos++;
      v += this.term();
    }
    return v;
  }
  private term(): number {
    const t = this.peek();
    if (!t) throw new SyntaxError('end');
    this.pos++;
    return t.kind === Kind.Name ? this.env[t.text]! : +t.text;
  }
  private peek = (): Token | undefined => this.tokens[this.pos];
}
const it = new Interp(env);
const v = it.run('1 + x + 2');
let failed: unknown;
try {
  it.run('1 +');
} catch (e) {
  failed = e;
}
console.log(v, failed instanceof SyntaxError);
// => 7 true

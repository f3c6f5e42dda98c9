// namespaces, generic data structures, iterators, tuples, assertion functions, this types
namespace Geometry {
  export type Point = [x: number, y: number];
  export const origin: Point = [0, 0];
  export function distance([x1, y1]: Point, [x2, y2]: Point = origin): number {
    return Math.hypot(x1 - x2, y1 - y2);
  }
}
function assertIsDefined<T>(v: T, msg?: string): asserts v is NonNullable<T> {
  if (v === undefined || v === null) throw new Error(msg ?? 'undefined!');
}
class Stack<T> implements Iterable<T> {
  private items: T[] = [];
  push(...xs: T[]): this {
    this.items.push(...xs);
    return this;
  }
  pop(): T | undefined {
    return this.items.pop();
  }
  *[Symbol.iterator](): IterableIterator<T> {
    yield* this.items;
  }
}
type Node<T> = { value: T; next: Node<T> | null };
function toList<T>(xs: readonly T[]): Node<T> | null {
  let head: Node<T> | null = null;
  for (let i = xs.length - 1; i >= 0; i--) head = { value: xs[i]!, next: head };
  return head;
}
const st = new Stack<number>().push(1, 2, 3);
const top = st.pop();
assertIsDefined(top);
const d = Geometry.distance([3, 4]);
const list = toList(['a', 'b'] as const);
let msg = '';
try {
  assertIsDefined(new Stack<string>().pop(), 'empty');
} catch (e: unknown) {
  msg = (e as Error).message;
}
console.log([...st], top, d, list?.next?.value, msg);
// => [ 1, 2 ] 3 5 b empty

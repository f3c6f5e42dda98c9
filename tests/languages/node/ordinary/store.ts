// a typed event store: index signatures, mapped types, keyof, readonly, optional, async
interface Event<K extends string = string, P = unknown> {
  readonly type: K;
  payload?: P;
}
type Handlers = { [K in keyof Payloads]?: (p: Payloads[K]) => void };
interface Payloads {
  add: number;
  name: string;
}
class Store {
  private state: { total: number; names: string[] } = { total: 0, names: [] };
  readonly #handlers: Handlers = {};
  [key: string]: unknown;
  on<K extends keyof Payloads>(type: K, f: (p: Payloads[K]) => void): this {
    this.#handlers[type] = f as any;
    return this;
  }
  async dispatch<K extends keyof Payloads>(e: Event<K, Payloads[K]>): Promise<void> {
    await Promise.resolve();
    const f = this.#handlers[e.type];
    f?.(e.payload!);
  }
  get snapshot(): Readonly<{ total: number; names: string[] }> {
    return { ...this.state };
  }
  apply(n: number): void {
    this.state.total += n;
  }
  push(s: string) {
    this.state.names.push(s);
  }
}
const store = new Store();
store.on('add', (n) => store.apply(n)).on('name', (s: string) => {
  store.push(s);
});
const events: Array<Event<any, any>> = [{ type: 'add', payload: 2 }, { type: 'name', payload: 'x' }, { type: 'none' }];
(async (): Promise<void> => {
  for (const e of events) await store.dispatch(e);
  console.log(store.snapshot);
})();
// => { total: 2, names: [ 'x' ] }

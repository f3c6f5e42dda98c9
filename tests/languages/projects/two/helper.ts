export function twice(n: number): number {
  const r = n * 2;
  return r;
}

export let counter = 0;
export function bump(by = 1) {
  counter += by;
}
export class Shape {
  constructor(w) {
    this.w = w;
  }
  area() {
    return this.w ** 2;
  }
}
export default (x) => x + counter;

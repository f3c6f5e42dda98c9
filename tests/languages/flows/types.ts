interface Shape { area(): number }
enum Color { Red, Green = 5 }
class Sq implements Shape {
  constructor(private side: number, public name: string = 'sq') {}
  area(): number { return this.side ** 2; }
}
function sum<T extends Shape>(xs: T[]): number {
  let total: number = 0;
  for (const x of xs) {
    total += x.area();
  }
  return total as number;
}
const t = sum([new Sq(2), new Sq(3, 'b')]);
console.log(t, Color.Green);

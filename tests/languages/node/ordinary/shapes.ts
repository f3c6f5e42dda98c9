// generics, overloads, abstract classes
abstract class Shape<T extends number = number> {
  protected constructor(public readonly name: string, protected size: T) {}
  abstract area(): number;
  describe(): string {
    return `${this.name}=${this.area().toFixed(1)}`;
  }
}
class Circle extends Shape {
  constructor(r: number) {
    super('circle', r);
  }
  area(): number {
    return Math.PI * this.size ** 2;
  }
}
class Box<T extends number> extends Shape<T> {
  private static made = 0;
  declare extra: string;
  constructor(w: T, private h: T = w) {
    super('box', w);
    Box.made += 1;
  }
  override area(): number {
    return this.size * this.h;
  }
  static get count(): number {
    return Box.made;
  }
}
function pick(x: string): string;
function pick(x: number): number;
function pick(x: string | number): string | number {
  return typeof x === 'string' ? x.trim() : x + 1;
}
function identity<T>(x: T): T {
  return x;
}
const shapes: Shape[] = [new Circle(1), new Box(2), new Box<number>(2, 3)];
const texts = shapes.map((s) => s.describe());
const largest = shapes.reduce<Shape | null>((best, s) => (best === null || s.area() > best.area() ? s : best), null)!;
console.log(texts, largest.name, Box.count, pick(' a '), pick(1), identity<string[]>(['q']));
// => [ 'circle=3.1', 'box=4.0', 'box=6.0' ] box 2 a 2 [ 'q' ]

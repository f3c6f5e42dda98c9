class Animal {
  constructor(name) {
    this.name = name;
  }
  speak() {
    return this.name;
  }
}
class Dog extends Animal {
  constructor(name) {
    super(name);
    this.tricks = [];
  }
  speak() {
    const base = super.speak();
    return base + '!';
  }
}
class Stone {
  constructor(name) {
    this.name = name;
  }
}
const d = new Dog('rex');
const s = new Stone('flint');
console.log(d.speak(), s);

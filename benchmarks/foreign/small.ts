const seen: number[] = [];
let total: number = 0;
for (let i: number = 0; i < 5; i++) {
  total += i;
  seen.push(total);
}
console.log(total);

const seen = [];
let total = 0;
for (let i = 0; i < 5; i++) {
  total += i;
  seen.push(total);
}
console.log(total);

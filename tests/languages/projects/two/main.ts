import { twice } from "./helper.ts";
const x: number = twice(4);
console.log(x);

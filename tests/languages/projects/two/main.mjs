import { twice } from "./util.mjs";
console.log(twice(4));

export { counter as c } from './lib.mjs';
export const helper = (a) => {
  const list = [a];
  return list;
};

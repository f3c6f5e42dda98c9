exports.twice = (n) => {
  const r = n * 2;
  return r;
};

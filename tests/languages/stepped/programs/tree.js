function insert(node, key) {
  if (node === null) {
    return { key, left: null, right: null };
  }
  if (key < node.key) {
    node.left = insert(node.left, key);
  } else {
    node.right = insert(node.right, key);
  }
  return node;
}
function depth(node) {
  if (node === null) {
    return 0;
  }
  const left = depth(node.left);
  const right = depth(node.right);
  return 1 + Math.max(left, right);
}
function build() {
  let root = null;
  let inserted = 0;
  for (const key of [5, 2, 8, 1, 3]) {
    root = insert(root, key);
    inserted += 1;
  }
  const deep = depth(root);
  return inserted * 10 + deep;
}
console.log(build());

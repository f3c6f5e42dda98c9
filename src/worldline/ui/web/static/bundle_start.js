// The first script of a bundle, a classic one: where its data are, and the start of its modules. Only bundle.py uses it.
//
// In one file they are blocks of JSON in the page; in a folder each is a script of its own, fetched by a tag when it is wanted, because
// a page that was opened from a disk may load scripts and nothing else. Texts stay texts until JSON.parse: an object literal
// would take a variable called __proto__ for its own.

(() => {
  const waiting = new Map();
  const known = new Map();

  function block(name) {
    return document.getElementById(`data-${name}`)?.textContent;
  }

  function fetched(name) {
    return new Promise((resolve) => {
      waiting.set(name, resolve);
      const script = document.createElement("script");
      script.src = `data/${name}.js`;
      script.onload = () => script.remove();
      script.onerror = () => resolve(null);
      document.head.append(script);
    });
  }

  async function read(name) {
    if (!globalThis.worldlineBundle.runs.names.includes(name)) return null;
    const text = block(name) ?? await fetched(name);
    return text === null ? null : JSON.parse(text);
  }

  globalThis.worldlineBundle = {
    get runs() {
      const runs = JSON.parse(block("runs"));
      Object.defineProperty(this, "runs", { value: runs });
      return runs;
    },
    /** An object of the bundle by its name, or null; the newest few are kept. */
    load(name) {
      const found = known.get(name) ?? read(name);
      known.delete(name);
      known.set(name, found);
      if (known.size > 12) known.delete(known.keys().next().value);
      return found;
    },
    put(name, text) {
      waiting.get(name)?.(text);
      waiting.delete(name);
    },
  };

  // Modules are addresses of the import map. A tag that a trusted script adds is trusted with all that it imports, which a tag
  // written in the page is not; so the page's policy need allow no address at all.
  const { entry } = document.currentScript.dataset;
  addEventListener("DOMContentLoaded", () => {
    const script = document.createElement("script");
    script.type = "module";
    script.src = `data:text/javascript,import "worldline/${entry}"`;
    document.head.append(script);
  });
})();

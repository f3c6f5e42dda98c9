// The first script of a bundle: loads its data and starts its modules. Only bundle.py uses it.
//
// In one file the data are JSON blocks in the page. In a folder each is a script, loaded when needed, because a page
// opened from disk can load nothing else. Data stay texts until JSON.parse: an object literal would treat a variable
// called __proto__ as its prototype.

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
    /** An object of the bundle by name, or null; the newest few are cached. */
    load(name) {
      const loading = known.get(name) ?? read(name);
      known.delete(name);
      known.set(name, loading);
      if (known.size > 12) known.delete(known.keys().next().value);
      return loading;
    },
    put(name, text) {
      waiting.get(name)?.(text);
      waiting.delete(name);
    },
  };

  // Modules are addresses of the import map. A tag added by a trusted script is trusted with all its imports, a tag in the
  // page is not; so the page's policy needs to allow no address.
  const { entry } = document.currentScript.dataset;
  addEventListener("DOMContentLoaded", () => {
    const script = document.createElement("script");
    script.type = "module";
    script.src = `data:text/javascript,import "worldline/${entry}"`;
    document.head.append(script);
  });
})();

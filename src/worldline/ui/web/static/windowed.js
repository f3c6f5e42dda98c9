// A list of any length of which only the visible rows are in the document.
//
// Rows have one height, are loaded in chunks by `load`, and are drawn by the caller. The browser scrolls over a spacer of the
// list's height (or a smaller one, if browsers cannot lay it out). The list holds the keyboard focus and names the active row
// by aria-activedescendant, so that a row that leaves the document does not take the focus with it.

const TALLEST = 10_000_000; // px; Firefox lays out 17.8 million, Chromium 33.5 million
const MOST_ROWS = 100;
const SPARE = 8; // rows drawn beyond either edge, so that a slow frame shows no gap
const KEPT = 64; // chunks
let lists = 0;

/**
 * options: root (the element that scrolls), rowHeight (px), count, chunk (rows a chunk),
 *   load(k, signal) -> rows of chunk k, or a promise of them,
 *   render(element, item | null, index) fills a row (null: not there yet; elements are used again),
 *   head? (an element kept above the rows), label?, role? ("grid"), rowRole? ("row"), headRows? (rows before the first in aria-rowindex),
 *   onActive?(index, item | null), onOpen?(index, item | null), onError?(error), keys? (true: arrows, pages, Home, End, Enter)
 */
export class Windowed {
  constructor(options) {
    this.options = { chunk: 100, role: "grid", rowRole: "row", headRows: 0, keys: true, ...options };
    this.count = this.options.count ?? 0;
    this.active = -1;
    this.name = `list-${(lists += 1)}`;
    this.chunks = new Map();
    this.requests = new Map();
    this.drawn = new Map();
    this.free = [];
    this.epoch = 0;
    this.lastTop = 0;
    this.shift = 0;
    this.ahead = -1;
    this.build();
    this.setCount(this.count);
  }

  build() {
    const { root, head, label, role, keys } = this.options;
    root.classList.add("windowed");
    Object.assign(root.style, { overflow: "auto", overflowAnchor: "none" });
    root.setAttribute("role", role);
    root.tabIndex = 0;
    if (label) root.setAttribute("aria-label", label);
    this.spacer = document.createElement("div");
    this.spacer.className = "windowed-rows";
    this.spacer.setAttribute("role", role === "grid" || role === "table" ? "rowgroup" : "presentation");
    this.spacer.style.position = "relative";
    if (head) {
      head.style.position = "sticky";
      head.style.top = "0";
      head.style.zIndex = "1";
    }
    root.replaceChildren(...(head ? [head, this.spacer] : [this.spacer]));
    this.listeners = new AbortController();
    const { signal } = this.listeners;
    root.addEventListener("scroll", () => this.draw(), { passive: true, signal });
    if (keys) root.addEventListener("keydown", (event) => this.onKey(event), { signal });
    this.spacer.addEventListener("click", (event) => this.onClick(event), { signal });
    this.resizes = new ResizeObserver(() => this.draw());
    this.resizes.observe(root);
  }

  /** Sets the number of rows; known rows stay, and a chunk that has grown is loaded again. */
  setCount(count) {
    this.count = count;
    this.spacer.style.height = `${Math.min(TALLEST, count * this.options.rowHeight)}px`;
    const { root, role, headRows } = this.options;
    if (role === "grid" || role === "table") root.setAttribute("aria-rowcount", String(count + headRows));
    if (this.active >= count) this.setActive(count - 1, { scroll: false });
    this.draw();
  }

  /** Shows another list. `rows`: its first chunk, so that nothing flickers. */
  reset({ count = this.count, top = false, rows = null } = {}) {
    this.epoch += 1;
    for (const control of this.requests.values()) control.abort();
    this.requests.clear();
    this.chunks.clear();
    for (const element of this.drawn.values()) element.shown = undefined;
    if (top) {
      this.options.root.scrollTop = 0;
      this.active = -1;
      this.options.root.removeAttribute("aria-activedescendant");
    }
    if (rows) this.chunks.set(0, { rows, size: Math.min(this.options.chunk, count) });
    this.setCount(count);
  }

  /** The item at an index, or null if it is not loaded yet. */
  item(index) {
    const size = this.options.chunk;
    return this.chunks.get(Math.floor(index / size))?.rows[index % size] ?? null;
  }

  /** Draws the visible rows again. */
  refresh() {
    for (const element of this.drawn.values()) element.shown = undefined;
    this.draw();
  }

  /** Activates a row; `scroll`: "nearest", "center" or false. */
  setActive(index, { scroll = "nearest", silent = true } = {}) {
    this.active = this.count ? Math.max(0, Math.min(this.count - 1, index)) : -1;
    if (scroll && this.active >= 0) this.scrollTo(this.active, scroll);
    this.draw();
    if (!silent && this.active >= 0) this.options.onActive?.(this.active, this.item(this.active));
  }

  /** Scrolls to a row. */
  scrollTo(index, how = "nearest") {
    const { rowHeight } = this.options;
    const height = this.height();
    const top = this.top();
    const first = index * rowHeight;
    if (how === "center") this.setTop(first - Math.max(0, (height - rowHeight) / 2));
    else if (first < top) this.setTop(first);
    else if (first + rowHeight > top + height) this.setTop(first + rowHeight - height);
    else return;
    this.draw();
  }

  /** Stops listening and loading. */
  dispose() {
    this.listeners.abort();
    this.resizes.disconnect();
    for (const control of this.requests.values()) control.abort();
    this.epoch += 1;
  }

  height() {
    return Math.max(0, this.options.root.clientHeight - (this.options.head?.offsetHeight ?? 0));
  }

  // The list's own offset: what scrollTop would be were the spacer as tall as the list.
  stretch(height = this.height()) {
    const whole = this.count * this.options.rowHeight;
    return whole > TALLEST ? (whole - height) / (TALLEST - height) : 1;
  }

  top() {
    return this.options.root.scrollTop * this.stretch();
  }

  setTop(top) {
    this.options.root.scrollTop = top / this.stretch();
  }

  // Read the visible range once, before any change: reading later would lay the page out twice.
  span() {
    const { rowHeight, root } = this.options;
    const height = this.height();
    const scroll = root.scrollTop;
    const top = scroll * this.stretch(height);
    const fits = Math.ceil(height / rowHeight) + 1;
    const spare = Math.max(0, Math.min(SPARE, Math.floor((MOST_ROWS - fits) / 2)));
    const first = Math.max(0, Math.floor(top / rowHeight) - spare);
    return { first, end: Math.min(this.count, first + Math.min(MOST_ROWS, fits + 2 * spare)), shift: scroll - top, top };
  }

  draw() {
    const { first, end, shift, top } = this.span();
    for (const [index, element] of this.drawn) {
      if (index < first || index >= end) {
        this.drawn.delete(index);
        this.free.push(element);
      }
    }
    for (let index = first; index < end; index += 1) this.place(index, shift);
    for (const element of this.free) element.remove();
    this.free.length = 0;
    this.point();
    this.shift = shift;
    this.want(first, end, top);
  }

  place(index, shift) {
    const { rowHeight, rowRole, headRows, render } = this.options;
    let element = this.drawn.get(index);
    if (!element) {
      element = this.free.pop() ?? this.make(rowHeight, rowRole);
      element.shown = undefined;
      element.index = index;
      element.id = `${this.name}-${index}`;
      if (rowRole === "row") element.setAttribute("aria-rowindex", String(index + 1 + headRows));
      else {
        element.setAttribute("aria-posinset", String(index + 1));
        element.setAttribute("aria-setsize", String(this.count));
      }
      this.drawn.set(index, element);
      if (!element.parentNode) this.spacer.append(element);
    }
    element.style.transform = `translateY(${index * rowHeight + shift}px)`;
    const item = this.item(index);
    if (element.shown === item) return;
    element.shown = item;
    element.classList.toggle("loading", item === null);
    render(element, item, index);
  }

  make(rowHeight, rowRole) {
    const element = document.createElement("div");
    element.className = "windowed-row";
    element.setAttribute("role", rowRole);
    Object.assign(element.style, { position: "absolute", top: "0", left: "0", right: "0", height: `${rowHeight}px` });
    return element;
  }

  point() {
    const { root } = this.options;
    for (const [index, element] of this.drawn) {
      const chosen = index === this.active;
      element.classList.toggle("active", chosen);
      element.setAttribute("aria-selected", String(chosen));
    }
    const element = this.drawn.get(this.active);
    if (element) root.setAttribute("aria-activedescendant", element.id);
    else root.removeAttribute("aria-activedescendant");
  }

  // Loads the visible chunks, then the next one in the direction of scrolling. Cancels those that are no longer near.
  want(first, end, top) {
    if (!this.count) return;
    const { chunk } = this.options;
    const low = Math.floor(first / chunk);
    const high = Math.floor(Math.max(first, end - 1) / chunk);
    this.ahead = top >= this.lastTop ? high + 1 : low - 1;
    this.lastTop = top;
    for (const [k, control] of this.requests) {
      if ((k < low || k > high) && k !== this.ahead) {
        control.abort();
        this.requests.delete(k);
      }
    }
    for (let k = low; k <= high; k += 1) this.ask(k);
    this.prefetch();
  }

  prefetch() {
    if (!this.requests.size && this.ahead >= 0 && this.ahead * this.options.chunk < this.count) this.ask(this.ahead);
  }

  ask(k) {
    const { chunk, load, onError } = this.options;
    const size = Math.min(chunk, this.count - k * chunk);
    const known = this.chunks.get(k);
    if (known) {
      this.chunks.delete(k); // the newest in use is the last to be forgotten
      this.chunks.set(k, known);
    }
    if (this.requests.has(k) || (known && known.size >= size)) return;
    const control = new AbortController();
    const epoch = this.epoch;
    const answer = load(k, control.signal);
    if (Array.isArray(answer)) {
      this.keep(k, answer, size);
      return;
    }
    this.requests.set(k, control);
    answer.then((rows) => {
      if (epoch !== this.epoch || control.signal.aborted) return; // an answer to a list that is no more
      this.requests.delete(k);
      this.keep(k, rows, size);
    }).catch((error) => {
      if (this.requests.get(k) === control) this.requests.delete(k);
      if (epoch === this.epoch && !control.signal.aborted) onError?.(error);
    });
  }

  keep(k, rows, size) {
    this.chunks.delete(k);
    this.chunks.set(k, { rows, size });
    while (this.chunks.size > KEPT) this.chunks.delete(this.chunks.keys().next().value);
    for (const index of [...this.drawn.keys()]) this.place(index, this.shift);
    this.prefetch();
  }

  onClick(event) {
    const row = event.target.closest(".windowed-row");
    if (!row || event.target.closest("a, button, input, summary") || event.defaultPrevented) return;
    this.setActive(row.index, { scroll: false, silent: false });
    if (event.detail === 2) this.options.onOpen?.(row.index, this.item(row.index));
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== this.options.root) return;
    const page = Math.max(1, Math.floor(this.height() / this.options.rowHeight) - 1);
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -this.count, End: this.count };
    if (event.key in moves && this.count) {
      const from = this.active < 0 && moves[event.key] > 0 ? -1 : this.active;
      this.setActive(from + moves[event.key], { silent: false });
    } else if (event.key === "Enter" && this.active >= 0) this.options.onOpen?.(this.active, this.item(this.active));
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

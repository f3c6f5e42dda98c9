// Every change of a run: when a name or an object changed, who wrote a part, and where a text occurs. It reads the overview of
// ui/session/run_view.py and draws nothing.

/** The changes of a run: `overview` has names, texts, ids, changes, objects and printed. */
export class RunChanges {
  constructor(overview) {
    this.overview = overview;
    this.byName = grouped(overview.changes, ([, frame, name]) => `${frame} ${overview.names[name]}`);
    this.byBox = grouped(overview.objects, ([, box]) => overview.ids[box]);
  }

  /** The changes of a name of a frame: [{row, text}], the text being null where the name is deleted. */
  ofName(frame, name) {
    return (this.byName.get(`${frame} ${name}`) ?? []).map(([row, , , text]) => ({ row, text: text < 0 ? null : this.overview.texts[text] }));
  }

  /** The changes of an object: [{row, keys}], without keys where it is new. */
  ofBox(id) {
    return (this.byBox.get(id) ?? []).map(([row, , keys]) => ({ row, keys }));
  }

  /** The text of a name at a row; null if it has none. */
  textAt(frame, name, row) {
    return this.ofName(frame, name).findLast((change) => change.row <= row)?.text ?? null;
  }

  /** The row that wrote a part of an object, as known at a row; null if none did. */
  writerOf(id, key, row) {
    return this.ofBox(id).findLast((change) => change.row <= row && (!change.keys.length || change.keys.includes(key)))?.row ?? null;
  }

  /** Where a text occurs, in any case, in `name = value` or in what is printed or read: [{row, what}], by row. */
  search(words) {
    const wanted = words.trim().toLowerCase();
    if (!wanted) return [];
    const { names, texts, changes, printed } = this.overview;
    const fits = (text) => text.toLowerCase().includes(wanted);
    const hits = [];
    for (const [row, , name, text] of changes) {
      const what = text < 0 ? `${names[name]} deleted` : `${names[name]} = ${texts[text]}`;
      if (fits(what)) hits.push({ row, what });
    }
    for (const [row, event, text] of printed) if (fits(text)) hits.push({ row, what: `${event} ${text}` });
    return hits.sort((a, b) => a.row - b.row);
  }
}

function grouped(entries, keyOf) {
  const groups = new Map();
  for (const entry of entries) {
    const key = keyOf(entry);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(entry);
  }
  return groups;
}

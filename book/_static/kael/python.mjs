// Python in the page: Pyodide's core and the chapters' browser sources, both served by this book, loaded on first use.
const base = new URL('../', import.meta.url);
let starting;

async function start() {
  const { loadPyodide } = await import(new URL('pyodide/pyodide.mjs', base).href);
  const [python, answer] = await Promise.all([
    loadPyodide({ indexURL: new URL('pyodide/', base).href }),
    fetch(new URL('kael/sources.json', base)),
  ]);
  const root = '/home/pyodide';
  for (const [path, text] of Object.entries(await answer.json())) {
    python.FS.mkdirTree(`${root}/${path.slice(0, path.lastIndexOf('/'))}`);
    python.FS.writeFile(`${root}/${path}`, text);
  }
  python.runPython(`import sys; sys.path.insert(0, ${JSON.stringify(root)})`);
  return python;
}

/** The page's one Python; the second call gets the same. A failed start may be tried again. */
export function python() {
  starting ??= start().catch(error => { starting = undefined; throw error; });
  return starting;
}

globalThis.kaelPython = python;

// Cells tagged `run-in-page` get a button: the cell becomes a text field, and Run executes it on the page's Python.
// The cells of a page share names, as in a notebook: those above that have not run yet run first.
import { python } from './python.mjs';

const SHOW = `
import ast as _ast, linecache as _linecache, traceback as _traceback

def _kael_run(source, names):
    _linecache.cache['<cell>'] = (len(source), None, source.splitlines(keepends=True), '<cell>')
    try:
        tree = _ast.parse(source, '<cell>')
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], _ast.Expr) else None
        exec(compile(tree, '<cell>', 'exec'), names)
        value = eval(compile(_ast.Expression(last.value), '<cell>', 'eval'), names) if last else None
        rich = getattr(value, '_repr_html_', None)
        return None if value is None else ('html', rich()) if rich else ('text', repr(value))
    except BaseException as error:
        frames = [f for f in _traceback.extract_tb(error.__traceback__) if f.name != '_kael_run']
        shown = _traceback.format_list(frames) + _traceback.format_exception_only(error)
        return ('error', ''.join(shown), getattr(error, 'name', None) or '')
`;
let names;

async function execute(source, print) {
  const py = await python();
  if (!names) { py.runPython(SHOW); names = py.toPy({ __name__: '__main__' }); }
  py.setStdout({ batched: line => print(line + '\n') });
  const run = py.globals.get('_kael_run');
  try {
    const shown = run(source, names);
    if (!shown) return null;
    const [kind, text, name] = shown.toJs();
    shown.destroy();
    return { kind, text, name };
  } finally { run.destroy(); }
}

class Cell {
  constructor(box, number, before) {
    this.box = box;
    this.before = before;
    this.done = false;
    this.source = box.querySelector('.cell_input pre').textContent.trimEnd();
    this.bar = document.createElement('div');
    this.bar.className = 'kael-run';
    this.bar.innerHTML = `<button type="button" class="kael-run-open">Run in this page</button> <span role="status"></span>`;
    this.status = this.bar.querySelector('[role=status]');
    this.button = this.bar.querySelector('button');
    this.button.onclick = () => (this.field ? this.run() : this.edit(number));
    box.querySelector('.cell_input').after(this.bar);
    box.dataset.run = 'ready';
  }

  edit(number) {
    const rows = this.source.split('\n').length + 1;
    this.bar.insertAdjacentHTML('afterbegin', `<label for="kael-cell-${number}">Edit the cell; Ctrl+Enter runs it</label>
      <textarea id="kael-cell-${number}" rows="${rows}" spellcheck="false" autocapitalize="off" wrap="off"></textarea>`);
    this.field = this.bar.querySelector('textarea');
    this.field.value = this.source;
    this.field.onkeydown = event => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); this.run(); }
    };
    this.bar.insertAdjacentHTML('beforeend', `<pre class="kael-run-output" role="region" tabindex="0" aria-label="Output of the edited cell ${number}"></pre><div class="kael-run-rich"></div>`);
    this.button.textContent = 'Run';
    this.field.focus();
    this.run();
  }

  async run() {
    const output = this.bar.querySelector('.kael-run-output');
    const rich = this.bar.querySelector('.kael-run-rich');
    const source = this.field.value;
    const began = performance.now();
    this.box.dataset.run = 'running';
    this.button.disabled = true;
    this.status.textContent = names ? 'Running…' : 'Loading Python (13 MB, once)…';
    output.textContent = '';
    rich.replaceChildren();
    try {
      for (const cell of this.before) if (!cell.done) { await execute(cell.source, () => {}); cell.done = true; }
      this.done = true;
      const shown = await execute(source, text => { output.textContent += text; });
      if (shown?.kind === 'text') output.textContent += shown.text;
      if (shown?.kind === 'html') rich.innerHTML = shown.text;
      if (shown?.kind === 'error') {
        output.textContent += shown.text;
        this.status.textContent = shown.name === 'numpy'
          ? 'The Python of this page has no NumPy. The notebook of this chapter has.' : 'Python raised an error.';
      } else {
        this.status.textContent = `Done in ${Math.round(performance.now() - began)} ms`;
      }
      this.box.dataset.run = shown?.kind === 'error' ? 'error' : 'done';
    } catch (error) {
      this.status.textContent = `Python could not be started: ${error.message}`;
      this.box.dataset.run = 'failed';
    }
    this.button.disabled = false;
  }
}

const cells = [];
document.querySelectorAll('.cell.tag_run-in-page').forEach((box, k) => cells.push(new Cell(box, k + 1, cells.slice(0, k))));

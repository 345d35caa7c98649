// <kael-trace>: steps through the record that its element holds. The static picture and table inside stay what is
// read without scripts; this adds buttons, keys, and the form that runs the code again in the page's Python.
const LABELS = [['Start', 'first'], ['Back', 'back'], ['Step', 'on'], ['End', 'last']];
const KEYS = { Home: 'first', ArrowLeft: 'back', ArrowRight: 'on', End: 'last' };

class Stepper {
  constructor(figure, steps) {
    this.figure = figure;
    let held = {};
    this.steps = steps.map(step => ({ ...step, grads: held = { ...held, ...step.grads } }));
    this.rows = [...figure.querySelectorAll('tbody tr')];
    const bar = document.createElement('div');
    bar.className = 'kt-bar';
    bar.setAttribute('role', 'toolbar');
    bar.setAttribute('aria-label', `Steps of ${figure.getAttribute('aria-label')}`);
    this.buttons = {};
    for (const [label, move] of LABELS) {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = label;
      button.onclick = () => this.go(move);
      this.buttons[move] = button;
      bar.append(button);
    }
    this.said = document.createElement('p');
    this.said.className = 'kt-said';
    this.said.setAttribute('aria-live', 'polite');
    figure.querySelector('.kt-graph').after(bar, this.said);
    figure.addEventListener('keydown', event => this.key(event));
    this.show(0);
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (!(event.key in KEYS) || event.target.closest('input, select, textarea, .kt-table')) return;
    event.preventDefault();
    event.stopPropagation();
    this.go(KEYS[event.key]);
  }

  go(move) {
    const last = this.steps.length - 1;
    const target = { first: 0, back: this.at - 1, on: this.at + 1, last }[move];
    if (target >= 0 && target <= last) this.show(target);
  }

  show(at) {
    this.at = at;
    const step = this.steps[at];
    const arrows = new Set(step.arrows);
    this.figure.dataset.step = at;
    for (const box of this.figure.querySelectorAll('.kt-box')) box.classList.toggle('on', +box.dataset.box === step.box);
    for (const arrow of this.figure.querySelectorAll('.kt-arrow')) arrow.classList.toggle('on', arrows.has(arrow.dataset.arrow));
    for (const line of this.figure.querySelectorAll('.kt-grad')) {
      line.textContent = `${line.dataset.name} ${step.grads[line.dataset.grad] ?? line.dataset.unset}`;
    }
    this.rows.forEach((row, k) => {
      row.classList.toggle('on', k === at);
      if (k === at) row.setAttribute('aria-current', 'step'); else row.removeAttribute('aria-current');
    });
    const ends = { first: at === 0, back: at === 0, on: at === this.steps.length - 1, last: at === this.steps.length - 1 };
    for (const [move, button] of Object.entries(this.buttons)) button.setAttribute('aria-disabled', ends[move]);
    this.said.textContent = step.said;
  }
}

class Form {
  constructor(trace, run) {
    this.trace = trace;
    this.run = run;
    this.form = document.createElement('form');
    this.form.className = 'kt-form';
    this.fields = run.fields.map(field => this.field(field));
    this.button = document.createElement('button');
    this.button.textContent = 'Run';
    this.status = document.createElement('span');
    this.status.setAttribute('role', 'status');
    this.form.append(this.button, this.status);
    this.form.onsubmit = event => { event.preventDefault(); this.execute(); };
    this.form.onkeydown = event => event.stopPropagation();
    (trace.querySelector('figcaption') ?? trace).append(this.form);
  }

  field({ name, kind, value, choices }) {
    const label = document.createElement('label');
    const control = document.createElement(kind === 'choice' ? 'select' : 'input');
    control.name = name;
    if (kind === 'choice') {
      for (const choice of choices) control.append(new Option(choice, choice, false, choice === value));
    } else if (kind === 'switch') {
      control.type = 'checkbox';
      control.checked = value;
    } else {
      control.type = 'number';
      control.step = 'any';
      control.required = true;
      control.value = value;
    }
    label.append(name.replaceAll('_', ' '), control);
    this.form.append(label);
    return [name, kind, control];
  }

  async execute() {
    const values = Object.fromEntries(this.fields.map(([name, kind, control]) =>
      [name, kind === 'switch' ? control.checked : kind === 'choice' ? control.value : control.valueAsNumber]));
    if (typeof globalThis.kaelPython !== 'function') {
      this.status.textContent = 'This page has no Python of its own; run the code in a notebook or a terminal.';
      return;
    }
    this.button.disabled = true;
    this.status.textContent = 'Running; the first run loads Python…';
    try {
      const python = await globalThis.kaelPython();
      const rerun = python.runPython('from kael.tracing.runnable import rerun; rerun');
      const html = rerun(JSON.stringify(this.run), JSON.stringify(values));
      rerun.destroy();
      this.trace.replace(html);
    } catch (error) {
      this.status.textContent = `Python could not finish: ${error.message}`;
      this.button.disabled = false;
    }
  }
}

if (!customElements.get('kael-trace')) {
  customElements.define('kael-trace', class extends HTMLElement {
    connectedCallback() { if (!this.dataset.ready) this.start(); }

    start() {
      const holder = this.querySelector('.kt-data');
      if (!holder) { document.addEventListener('DOMContentLoaded', () => this.start(), { once: true }); return; }
      this.dataset.ready = 'true';
      const data = JSON.parse(holder.textContent);
      this.steppers = [...this.querySelectorAll('.kt')].map((figure, k) => new Stepper(figure, data.passes[k]));
      if (data.run) this.form = new Form(this, data.run);
    }

    replace(html) {
      const made = new DOMParser().parseFromString(html, 'text/html').querySelector('kael-trace');
      this.replaceChildren(...made.childNodes);
      this.start();
      this.form?.button.focus();
      this.form.status.textContent = this.querySelector('.kt-error') ? 'The code raised an error.' : 'Done.';
    }
  });
}

// Reads a served site in headless Chromium and prints what it finds as JSON: {check: [finding, ...]}.
// Argument: a JSON object {origin, pages, chromium, modules, allowed, screenshots}.
import { createRequire } from 'node:module';
import { mkdirSync } from 'node:fs';
import path from 'node:path';

const { origin, pages, chromium: executablePath, modules, allowed, screenshots } = JSON.parse(process.argv[2]);
const require = createRequire(path.join(modules, 'x.js'));
const { chromium } = require('playwright-core');
const axe = require.resolve('axe-core/axe.min.js');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync',
  '--disable-background-networking', '--disable-component-update'];

const found = { requests: [], errors: [], axe: [], narrow: [], unscripted: [], stepper: [], run: [], search: [], keyboard: [] };
const seen = { axe: 0, traces: 0, steps: 0, reruns: 0, cells: 0, rows: 0 };

const browser = await chromium.launch({ executablePath, args: FLAGS });

async function open(name, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.on('request', request => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(origin)) found.requests.push(`${name}: ${request.url()}`);
  });
  page.on('pageerror', error => found.errors.push(`${name}: ${error.message}`));
  page.on('console', line => { if (line.type() === 'error') found.errors.push(`${name}: ${line.text()}`); });
  await page.goto(`${origin}/${name}`, { waitUntil: 'load' });
  if (options.javaScriptEnabled !== false) await page.addStyleTag({ content: '* { transition: none !important; }' });
  return page;
}

async function picture(page, name, kind) {
  if (!screenshots) return;
  mkdirSync(screenshots, { recursive: true });
  const file = `${name.replace(/\.html$/, '').replaceAll('/', '-')}-${kind}.png`;
  await page.screenshot({ path: path.join(screenshots, file), fullPage: true });
}

async function accessible(page, name, scheme) {
  await page.addScriptTag({ path: axe });
  const { violations } = await page.evaluate(rules => axe.run(document, { runOnly: { type: 'tag', values: rules } }), RULES);
  seen.axe += 1;
  for (const { id, help, nodes } of violations) {
    for (const { target, failureSummary } of nodes) {
      const selector = target.join(' ');
      const forgiven = allowed.some(entry => entry.rule === id && new RegExp(entry.target).test(selector));
      if (!forgiven) found.axe.push(`${name} (${scheme}): ${id}: ${help}: ${selector}: ${failureSummary.replace(/\s+/g, ' ')}`);
    }
  }
}

async function narrow(page, name) {
  const wide = await page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    if (document.scrollingElement.scrollWidth <= width) return null;
    const clipped = e => e && e !== document.body && (getComputedStyle(e).overflowX !== 'visible' || clipped(e.parentElement));
    const beyond = [...document.querySelectorAll('article *')].filter(e => e.getBoundingClientRect().right > width + 1 && !clipped(e.parentElement));
    return beyond.slice(0, 3).map(e => `${e.tagName.toLowerCase()}.${e.className} ${e.textContent.trim().slice(0, 40)}`).join(', ') || 'something';
  });
  if (wide) found.narrow.push(`${name}: wider than 320 px: ${wide}`);
}

async function tabbable(page, name) {
  const lost = await page.evaluate(() => [...document.querySelectorAll('article button, article [role=button], article summary')]
    .filter(e => e.tabIndex < 0 && e.offsetParent).map(e => e.outerHTML.slice(0, 80)));
  found.keyboard.push(...lost.map(html => `${name}: not reached by Tab: ${html}`));
}

async function stepThrough(page, name) {
  for (const [k, figure] of (await page.locator('kael-trace .kt').all()).entries()) {
    seen.traces += 1;
    const last = (await figure.locator('tbody tr').count()) - 1;
    const at = () => figure.evaluate(e => +(e.dataset.step ?? NaN));
    const said = () => figure.locator('.kt-said').textContent();
    if (Number.isNaN(await at())) { found.stepper.push(`${name}: trace ${k}: the stepper did not start`); continue; }
    await figure.locator('.kt-bar button').first().focus();
    for (let step = 1; step <= last; step++, seen.steps++) {
      const before = await said();
      await page.keyboard.press('ArrowRight');
      if (await at() !== step) { found.stepper.push(`${name}: trace ${k}: ArrowRight leads to ${await at()}, not ${step}`); break; }
      if (await said() === before) found.stepper.push(`${name}: trace ${k}: step ${step} says nothing new`);
    }
    await page.keyboard.press('Home');
    if (await at() !== 0) found.stepper.push(`${name}: trace ${k}: Home leads to ${await at()}`);
    await page.keyboard.press('End');
    if (await at() !== last) found.stepper.push(`${name}: trace ${k}: End leads to ${await at()}, not ${last}`);
  }
}

async function runAgain(page, name) {
  for (const [k, trace] of (await page.locator('kael-trace:has(.kt-form input[type=number])').all()).entries()) {
    seen.reruns += 1;
    const before = await trace.locator('.kt').first().textContent();
    await trace.locator('input[type=number]').first().fill('7');
    await page.keyboard.press('Enter');
    const status = trace.locator('.kt-form [role=status]');
    const done = page.waitForFunction(e => /^(Done|Python could not|This page)/.test(e.querySelector('.kt-form [role=status]')?.textContent ?? ''),
      await trace.elementHandle(), { timeout: 120000 });
    await done.catch(() => {});
    const words = await status.textContent();
    if (words !== 'Done.') found.run.push(`${name}: trace ${k}: ${words}`);
    else if (await trace.locator('.kt').first().textContent() === before) found.run.push(`${name}: trace ${k}: unchanged by another input`);
  }
}

async function unscripted(name) {
  const page = await open(name, { javaScriptEnabled: false });
  for (const [k, trace] of (await page.locator('kael-trace').all()).entries()) {
    const rows = trace.locator('table tbody tr');
    const count = await rows.count();
    const visible = await rows.filter({ visible: true }).count();
    seen.rows += visible;
    if (!count || visible !== count) found.unscripted.push(`${name}: trace ${k}: ${visible} of ${count} rows are visible`);
  }
  if (!(await page.locator('article h1').first().isVisible())) found.unscripted.push(`${name}: no visible heading`);
  await page.context().close();
}

async function runCells(page, name) {
  for (const box of await page.locator('.cell.tag_run-in-page').all()) {
    seen.cells += 1;
    const built = (await box.locator('.cell_output .output.stream pre, .cell_output .output.text_plain pre').allTextContents()).join('').trim();
    await box.locator('.kael-run button').focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction(e => ['done', 'error', 'failed'].includes(e.dataset.run), await box.elementHandle(), { timeout: 120000 });
    const printed = (await box.locator('.kael-run-output').textContent()).trim();
    const expected = /raises-exception/.test(await box.getAttribute('class')) ? 'error' : 'done';
    if (await box.getAttribute('data-run') !== expected) found.run.push(`${name}: ${printed}`);
    else if (expected === 'done' && built && printed !== built) found.run.push(`${name}: printed ${JSON.stringify(printed)}, the page shows ${JSON.stringify(built)}`);
  }
}

async function withoutNumpy(page, name) {
  const box = page.locator('.cell.tag_run-in-page').first();
  if (!(await box.count())) return;
  await box.locator('textarea').fill('import numpy');
  await page.keyboard.press('Control+Enter');
  await page.waitForFunction(e => e.dataset.run === 'error', await box.elementHandle(), { timeout: 30000 }).catch(() => {});
  const words = await box.locator('.kael-run [role=status]').textContent();
  if (!words.includes('no NumPy')) found.run.push(`${name}: import numpy says ${words}`);
}

async function search() {
  const page = await open('search.html?q=rung');
  const results = page.locator('#search-results li');
  await results.first().waitFor({ timeout: 15000 }).catch(() => found.search.push('search.html: no result for "rung"'));
  await page.context().close();
}

const WIDE = { width: 1280, height: 900 };
const PHONE = { width: 320, height: 800 };

for (const name of pages) {
  const page = await open(name, { colorScheme: 'light', viewport: WIDE });
  await accessible(page, name, 'light');
  await tabbable(page, name);
  await picture(page, name, 'light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await accessible(page, name, 'dark');
  await picture(page, name, 'dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize(PHONE);
  await narrow(page, name);
  await picture(page, name, '320');
  await page.setViewportSize(WIDE);
  const used = seen.traces + seen.cells;
  await stepThrough(page, name);
  await runAgain(page, name);
  await runCells(page, name);
  await withoutNumpy(page, name);
  if (seen.traces + seen.cells > used) {
    await page.emulateMedia({ colorScheme: 'dark' });
    await accessible(page, name, 'dark, after use');
    await page.setViewportSize(PHONE);
    await narrow(page, name);
  }
  await page.context().close();
  if (name !== 'search.html') await unscripted(name);
}
if (pages.includes('index.html')) await search();
await browser.close();
console.log(JSON.stringify({ found, seen }));

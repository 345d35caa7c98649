// Sets formulas: reads one JSON line {latex, displayMode} at a time, answers with one JSON line {html} or {error}.
const katex = require(require.resolve('katex', { paths: [process.argv[2]] }));
const lines = require('node:readline').createInterface({ input: process.stdin });
lines.on('line', line => {
  const { latex, displayMode } = JSON.parse(line);
  let answer;
  try {
    answer = { html: katex.renderToString(latex, { displayMode, throwOnError: true, strict: 'error' }) };
  } catch (error) {
    answer = { error: error.message };
  }
  process.stdout.write(JSON.stringify(answer) + '\n');
});

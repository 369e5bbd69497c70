/*
 * Drives the front end in a real Chromium through submit, watch, compare, what-if and cancel, and keeps screenshots.
 *
 *   npm install --prefix /tmp/browser playwright-core
 *   NODE_PATH=/tmp/browser/node_modules node service/src/test/browser/drive.mjs http://127.0.0.1:8088 target/screenshots
 *
 * CHROMIUM names the browser (default: /usr/bin/chromium). The service should hold no tasks yet. It exits with 1 where a
 * step fails, where a page logs an error, or where a page asks another host than the service for anything.
 */
import {createRequire} from 'node:module';
import {mkdirSync} from 'node:fs';

const require = createRequire((process.env.NODE_PATH || '.') + '/any.js');
const {chromium} = require('playwright-core');

const [base = 'http://127.0.0.1:8088', folder = 'target/screenshots'] = process.argv.slice(2);
mkdirSync(folder, {recursive: true});
const problems = [];
const started = Date.now();
const say = (text) => console.log(((Date.now() - started) / 1000).toFixed(1).padStart(6) + ' s  ' + text);

const browser = await chromium.launch({executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking']});

const openPage = async (options) => {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.setDefaultTimeout(90000);
  page.on('console', (message) => { if (message.type() === 'error' && !message.text().includes('422')) problems.push('console: ' + message.text()); });
  page.on('pageerror', (error) => problems.push('page: ' + error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(base) && !request.url().startsWith('data:')) problems.push('request: ' + request.url());
  });
  return page;
};

const page = await openPage({viewport: {width: 1280, height: 900}});
const shot = async (name, of = page) => {
  await of.waitForTimeout(250);
  await of.screenshot({path: folder + '/' + name + '.png', fullPage: true});
};
const to = async (hash, of = page) => {
  await of.goto(base + '/' + hash);
  await of.waitForFunction((wanted) => document.getElementById('main').dataset.ready === wanted, hash);
};
const ask = async () => {
  await page.getByRole('button', {name: 'Ask', exact: true}).click();
  await page.waitForURL(/#\/task\//);
  return page.url().match(/task\/([0-9a-f]+)/)[1];
};
const done = async (of = page) => of.locator('h1 .badge.done').waitFor();
const charted = async (count = 1) => page.waitForFunction((most) =>
  document.querySelectorAll('.plot svg path').length >= most, count);

// An empty service, and the form of a first question.
await page.goto(base + '/');
await page.getByText('Ask a first question').waitFor();
await shot('01-empty');
await to('#/new');
await page.locator('textarea').waitFor();
await page.getByRole('button', {name: 'Draw the topology'}).click();
await page.locator('.drawn svg').waitFor();
await shot('02-ask');
say('the topology is drawn');

// A message about a wrong field leads to its line.
const text = await page.locator('textarea').inputValue();
await page.locator('textarea').fill(text.replace('load: 30 %', 'load: 300 %').replace('fat-tree', 'fat-tre'));
await page.getByRole('button', {name: 'Check'}).click();
await page.getByText('did you mean').waitFor();
await shot('03-faults');
await page.locator('textarea').fill(text);

// Submit, and see the first chart.
const first = await ask();
await done();
await charted();
say('the first chart of results is shown');
await shot('04-results');
await page.getByRole('button', {name: 'Report'}).click();
await page.frameLocator('iframe.report').locator('.plot svg').first().waitFor();
await shot('05-report');

// What if: another load, then both side by side.
await page.locator('#what-if input[name=what]').fill('workload.load');
await page.locator('#what-if input[name=value]').fill('60 %');
await page.getByRole('button', {name: 'Ask with this change'}).click();
await page.waitForURL(/\/from\//);
await done();
await shot('06-what-if');
await page.getByRole('link', {name: 'Compare with the original'}).click();
await page.locator('td.change').first().waitFor();
await charted();
await shot('07-compare');
say('two runs are compared');

// The same question again is answered at once.
await to('#/new');
const before = Date.now();
if (await ask() !== first) problems.push('the same question has become another task');
await done();
say('the same question is answered after ' + (Date.now() - before) + ' ms');

// Watch a long run, and cancel it.
await to('#/new');
await page.locator('textarea').fill(text.replace('measure: 200 us', 'measure: 400 ms').replace('name: first', 'name: long'));
await ask();
await page.locator('h1 .badge.running').waitFor();
await charted();
await page.waitForTimeout(4000);
await shot('08-live');
say('a running simulation is watched');
const phone = await openPage({viewport: {width: 390, height: 844}, colorScheme: 'dark', isMobile: true, hasTouch: true});
await to(new URL(page.url()).hash, phone);
await phone.waitForFunction(() => document.querySelectorAll('.plot svg path').length > 0);
await shot('09-live-phone', phone);
await page.getByRole('button', {name: 'Cancel'}).click();
await page.locator('h1 .badge.cancelled').waitFor();
say('it is cancelled');

// A sweep with its progress.
await to('#/new');
await page.locator('textarea').fill(text.replace('name: first', 'name: loads')
  + '\nsweep: {workload.load: [10 %, 20 %, 30 %, 40 %, 50 %, 60 %]}\n'
  + 'report: {plots: [{title: Latency, metric: inter.fct, x: workload.load}]}\n');
await ask();
await page.locator('[role=progressbar]').waitFor();
await page.waitForTimeout(3000);
await shot('10-sweep');
await done();
await charted();
await shot('11-sweep-done');
say('a sweep is done');

// The other kinds.
for (const kind of ['nccl-tests', 'train', 'hpl']) {
  await to('#/new/' + kind);
  await page.locator('.fields input').first().waitFor();
  if (kind === 'nccl-tests') await shot('12-ask-nccl-tests');
  await ask();
  await done();
  await charted();
  await shot('13-' + kind);
  say(kind + ' is answered');
}
await to('#/');
await shot('14-tasks');

// Dark, at a phone's width, and by keyboard alone.
await to('#/', phone);
await shot('15-tasks-phone', phone);
await to('#/task/' + first, phone);
await phone.waitForFunction(() => document.querySelectorAll('.plot svg path').length > 0);
await shot('16-results-phone', phone);
await to('#/new', phone);
await phone.locator('textarea').waitFor();
await shot('17-ask-phone', phone);
const wide = await phone.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
if (wide > 0) problems.push('the page is ' + wide + ' px wider than a phone');
await to('#/new');
await page.locator('textarea').focus();
await page.keyboard.press('Control+Enter');
await page.waitForURL(/#\/task\//);
say('asked by keyboard');
await page.emulateMedia({colorScheme: 'dark'});
await done();
await charted();
await shot('18-results-dark');

await browser.close();
problems.forEach((problem) => console.log('problem: ' + problem));
process.exit(problems.length ? 1 : 0);

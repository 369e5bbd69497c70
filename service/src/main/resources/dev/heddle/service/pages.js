/* The pages: tasks, a question, a task, a comparison. Each returns {node, tick?, every?}. */
import {api} from './api.js';
import {bars, chart, lines} from './charts.js';
import {ago, bytes, duration, fill, h, number, quantity, simulated, timeUnit, toast} from './dom.js';
import {commandForm, field, goToLine, scenarioForm, showFaults} from './forms.js';

const STATES = ['queued', 'running', 'done', 'failed', 'cancelled'];
const badge = (state) => h('span', {class: 'badge ' + state}, state);
const open = (state) => state === 'queued' || state === 'running';
const go = (hash) => { window.location.hash = hash; };
const attempt = (action) => action().catch((error) => toast(error.message));

// --- tasks ---

const spent = (task) => (task.state === 'queued' ? ago(task.created)
  : duration((task.ended || Date.now()) - task.started));

export const tasksPage = async () => {
  let chosenState = '';
  const picked = new Set();
  const counts = h('div', {class: 'counts', role: 'group', 'aria-label': 'States'});
  const body = h('tbody');
  const compare = h('a', {class: 'button', href: '#/compare'}, 'Compare two');
  const table = h('table', {class: 'tasks'}, h('thead', {}, h('tr', {}, ['', 'Task', 'State', 'Kind', 'User', 'Time', '']
    .map((title, i) => h('th', {scope: 'col', class: [3, 4].includes(i) ? 'wide' : null}, title)))), body);
  const pick = (id, on) => {
    if (on) picked.add(id); else picked.delete(id);
    const [a, b] = [...picked];
    compare.href = '#/compare' + (a ? '/' + a : '') + (b ? '/' + b : '');
  };
  const row = (task) => h('tr', {}, h('td', {}, task.state === 'done' ? h('input', {type: 'checkbox',
    'aria-label': 'Compare ' + task.name, ...(picked.has(task.id) ? {checked: true} : {}),
    onchange: (event) => pick(task.id, event.target.checked)}) : ''),
  h('td', {class: 'name'}, h('a', {href: '#/task/' + task.id}, task.name)), h('td', {}, badge(task.state)),
  h('td', {class: 'wide'}, task.kind + (task.points > 1 ? ', ' + task.points + ' points' : '')),
  h('td', {class: 'wide'}, task.user), h('td', {}, spent(task)),
  h('td', {}, open(task.state) ? h('button', {class: 'button danger', type: 'button',
    onclick: () => attempt(() => api.post('/tasks/' + task.id + '/cancel').then(tick))}, 'Cancel') : ''));
  let shown = '';
  const tick = async () => {
    const list = await api.get('/tasks?limit=200' + (chosenState ? '&state=' + chosenState : ''));
    const total = STATES.reduce((sum, state) => sum + (list.counts[state] || 0), 0);
    fill(counts, [['', 'all', total], ...STATES.map((state) => [state, state, list.counts[state] || 0])]
      .map(([state, title, count]) => h('button', {type: 'button', 'aria-pressed': String(chosenState === state),
        onclick: () => { chosenState = state; shown = ''; tick(); }}, title + ' ' + count)));
    const now = JSON.stringify(list.tasks) + (list.tasks.some((task) => open(task.state)) ? Math.floor(Date.now() / 2000) : '');
    if (now !== shown && !body.contains(document.activeElement)) {
      shown = now;
      fill(body, list.tasks.length ? list.tasks.map(row) : h('tr', {}, h('td', {colspan: 7, class: 'empty'},
        chosenState ? 'No task is ' + chosenState : ['No task yet. ', h('a', {href: '#/new'}, 'Ask a first question')])));
    }
  };
  await tick();
  return {title: 'Tasks', node: h('div', {}, h('div', {class: 'head'}, h('div', {}, h('h1', {}, 'Tasks'),
    h('p', {class: 'lead'}, 'Questions to the simulator, newest first; choose two that are done to compare them.')),
  h('div', {class: 'actions'}, h('a', {class: 'button primary', href: '#/new'}, 'Ask'), compare)),
  counts, h('div', {class: 'panel scroll'}, table)), tick, every: 1500};
};

// --- a question ---

const KINDS = [['scenario', 'Scenario'], ['train', 'Training iteration'], ['search', 'Best parallelism'],
  ['nccl-tests', 'nccl-tests'], ['hpl', 'HPL']];

export const newPage = async (kind = 'scenario', given = null) => {
  const shownKind = kind === 'sweep' ? 'scenario' : kind;
  const form = shownKind === 'scenario' ? await scenarioForm(given) : await commandForm(shownKind, given);
  const faults = h('div', {});
  const name = field({name: 'name', label: 'name', placeholder: 'from the question', hint: ''});
  const priority = field({name: 'priority', label: 'priority', placeholder: '0', hint: ''});
  priority.node.classList.add('small');
  const question = () => Object.assign(form.read(), name.read() ? {name: name.read()} : {},
    priority.read() ? {priority: Number(priority.read())} : {});
  const lead = form.editor ? goToLine(form.editor) : null;
  const check = async () => {
    try {
      const told = await api.post('/check', question());
      fill(faults, h('p', {class: 'ok', role: 'status'}, '\u2713 ' + told.name + ' can run: ' + (told.points === 1
        ? 'one point' : told.points + ' points') + (told.state === 'new' ? '' : '; it was asked before, and is ' + told.state)));
    } catch (error) {
      showFaults(faults, error.faults || [{path: '', line: 0, message: error.message}], lead);
    }
  };
  const submit = async (event) => {
    if (event) event.preventDefault();
    try {
      const task = await api.post('/tasks', question());
      if (task.state === 'done') toast('Answered before: these are the results');
      go('#/task/' + task.id);
    } catch (error) {
      showFaults(faults, error.faults || [{path: '', line: 0, message: error.message}], lead);
    }
  };
  const node = h('form', {onsubmit: submit, onkeydown: (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event);
  }}, h('div', {class: 'head'}, h('div', {}, h('h1', {}, 'Ask'),
    h('p', {class: 'lead'}, 'The same settings, checks and messages as the command line. Ctrl+Enter asks.'))),
  h('nav', {class: 'tabs', 'aria-label': 'Kinds'}, KINDS.map(([id, title]) => h('a', {href: '#/new/' + id,
    'aria-current': String(id === shownKind)}, title))),
  form.node, faults, h('div', {class: 'row'}, name.node, priority.node, h('div', {class: 'actions'},
    h('button', {type: 'button', class: 'button', onclick: check}, 'Check'),
    h('button', {type: 'submit', class: 'button primary'}, 'Ask'))));
  return {title: 'Ask', node};
};

// --- a task ---

const figureCards = (cards) => h('div', {class: 'cards'}, cards.map(([label, value, unit]) => h('div', {class: 'card'
  + (String(value).length > 11 ? ' long' : '')}, h('div', {class: 'label'}, label),
h('div', {class: 'value'}, value, unit && unit !== '1' ? h('span', {class: 'unit'}, unit) : ''))));

const runView = (summary) => {
  const metrics = summary.metrics.filter((metric) => metric.value !== null);
  const parts = [figureCards([['simulated time', ...simulated(summary.run.simulatedPs).split('\u00a0')],
    ...metrics.slice(0, 11).map((metric) => [metric.title, ...quantity(metric.value, metric.unit)])])];
  const activities = metrics.filter((metric) => metric.id.startsWith('activity.') && metric.value > 0);
  if (activities.length) {
    parts.push(chart('Time of ranks by activity', bars({xTitle: 'mean over ranks [us]',
      names: activities.map((metric) => metric.title.replace(' (mean)', '')),
      series: [{name: 'time', values: activities.map((metric) => metric.value)}]})).figure);
  }
  const links = (summary.links || []).filter((link) => link.utilization > 0);
  if (links.length) {
    parts.push(chart('Most used links', bars({xTitle: 'share of the measured window [%]', most: 100,
      names: links.map((link) => link.name), series: [
        {name: 'carrying bytes', stack: 'use', values: links.map((link) => 100 * link.utilization)},
        {name: 'waiting for credits', stack: 'use', values: links.map((link) => 100 * link.creditStall)}]})).figure);
  }
  return parts;
};

const value = (text) => { const n = parseFloat(text); return Number.isFinite(n) ? n : null; };

/* One chart of a sweep for each plot that the scenario states; one of the first metric without any. */
const sweepView = (summary) => {
  const metric = (point, id) => (point.metrics.find((each) => each.id === id) || {value: null}).value;
  const title = (id) => (summary.points[0].metrics.find((each) => each.id === id) || {title: id, unit: ''});
  if (!summary.points.length) return [h('p', {class: 'note'}, 'no point could be carried out')];
  const axis = summary.axes[0];
  const key = axis.path || axis.key || Object.keys(summary.points[0].parameters)[0];
  const plots = (summary.plots || []).length ? summary.plots : [{title: '', x: key, series: '',
    metric: summary.points[0].metrics.find((each) => each.value !== null).id}];
  return plots.slice(0, 6).map((plot) => {
    const xs = [...new Set(summary.points.map((point) => point.parameters[plot.x]))];
    const numeric = xs.every((x) => value(x) !== null);
    const names = [...new Set(summary.points.map((point) => [plot.series, plot.panels].filter(Boolean)
      .map((each) => point.parameters[each]).join(', ')))];
    const of = (name) => summary.points.filter((point) => [plot.series, plot.panels].filter(Boolean)
      .map((each) => point.parameters[each]).join(', ') === name);
    const shown = title(plot.metric);
    const label = (plot.title ? plot.title + ': ' : '') + shown.title;
    if (numeric) {
      return chart(label, lines({xTitle: plot.x, yTitle: '[' + shown.unit + ']', curves: names.map((name) => ({name,
        points: of(name).map((point) => [value(point.parameters[plot.x]), metric(point, plot.metric)])
          .sort((a, b) => a[0] - b[0])}))})).figure;
    }
    return chart(label, bars({xTitle: '[' + shown.unit + ']', names: xs, series: names.map((name) => ({name,
      values: xs.map((x) => { const hit = of(name).find((point) => point.parameters[plot.x] === x);
        return hit ? metric(hit, plot.metric) : null; })}))})).figure;
  });
};

const bandwidth = (tables) => {
  const points = (results, get) => results.filter((row) => row.size > 0).map((row) => [row.size, get(row.out_of_place)]);
  const curves = (get) => tables.map(({name, results}, i) => ({name, dashed: i > 0, points: points(results, get)}));
  return [chart('Bus bandwidth by size', lines({xTitle: 'size', yTitle: 'busbw [GB/s]', logX: true, xFormat: bytes,
    curves: curves((row) => row.bus_bw)})).figure,
  chart('Time by size', lines({xTitle: 'size', yTitle: 'time [us]', logX: true, log: true, xFormat: bytes,
    curves: curves((row) => row.time)})).figure];
};

const trainCards = (told) => {
  const run = told.run ? [['iteration, run at ' + told.run.fidelity, number(told.run.seconds), 's']] : [];
  return [figureCards([...run, ['iteration, estimate', number(told.estimate.seconds), 's'],
    ['MFU (estimate)', number(100 * told.estimate.mfu), '%'], ['tokens', number(told.estimate.tokens_per_second), '1/s'],
    ['memory used of ' + number(told.memory.capacity / 2 ** 30) + ' GiB', number(told.memory.bytes / 2 ** 30), 'GiB'],
    ['ranks', told.job.ranks, ''], ['TP \u00d7 PP \u00d7 DP', [told.job.tensor, told.job.pipeline, told.job.data].join(' \u00d7 '), '']]),
  chart('Estimate: time by activity', bars({xTitle: '[s]', names: Object.keys(told.estimate.activities).filter((key) =>
    told.estimate.activities[key] > 0), series: [{name: 'time', values: Object.values(told.estimate.activities)
    .filter((each) => each > 0)}]})).figure,
  chart('Memory of an accelerator', bars({xTitle: '[GiB]', names: ['parameters', 'gradients', 'optimizer', 'activations'],
    series: [{name: 'memory', values: ['parameters', 'gradients', 'optimizer', 'activations']
      .map((key) => told.memory[key] / 2 ** 30)}]})).figure];
};

/* Lines of HPL as figures. */
const hplRuns = (text) => text.split('\n').map((line) => line.match(/^(W\S+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+)$/))
  .filter(Boolean).map((m) => ({name: m[1] + ' N ' + m[2] + ', ' + m[4] + ' \u00d7 ' + m[5], seconds: Number(m[6]),
    gflops: Number(m[7])}));

const answer = async (task) => {
  const at = '/tasks/' + task.id;
  if (task.kind === 'nccl-tests') {
    const told = await api.get(at + '/results');
    return [figureCards([['average busbw', number(told.average_bus_bandwidth.bandwidth), 'GB/s'],
      ['largest busbw', number(Math.max(...told.results.map((row) => row.out_of_place.bus_bw))), 'GB/s'],
      ['ranks', told.config.devices.length, '']]), h('p', {class: 'note'}, told.times),
    ...bandwidth([{name: task.name, results: told.results}])];
  }
  const parts = task.kind === 'train' ? trainCards(await api.get(at + '/results')) : [];
  if (task.parts.summary) {
    const summary = await api.get(at + '/summary');
    return parts.concat(summary.points ? sweepView(summary) : runView(summary));
  }
  if (task.kind === 'train') return parts;
  const text = await api.get(at + '/output');
  const runs = task.kind === 'hpl' ? hplRuns(text) : [];
  return [runs.length ? chart('HPL', bars({xTitle: '[Tflop/s]', names: runs.map((run) => run.name),
    series: [{name: 'rate', values: runs.map((run) => run.gflops / 1000)}]})).figure : null,
  h('div', {class: 'panel'}, h('pre', {class: 'output', tabindex: 0}, text))];
};

/* Figures of a running task: progress, and curves over simulated time. */
const liveView = () => {
  const bar = h('div');
  const meter = h('div', {class: 'meter unknown', role: 'progressbar', 'aria-label': 'Progress'}, bar);
  const text = h('p', {class: 'note', role: 'status'}, 'waiting for the first figures');
  const plots = h('div', {class: 'pair'});
  const node = h('section', {}, h('h2', {}, 'Live'), meter, text, plots);
  const drawn = {};
  const draw = (title, make) => {
    if (!drawn[title]) {
      drawn[title] = chart(title, make);
      plots.append(drawn[title].figure);
    } else drawn[title].set(make);
  };
  const progress = (share) => {
    meter.classList.toggle('unknown', share === null);
    bar.style.width = share === null ? '' : (100 * share).toFixed(1) + '%';
    if (share !== null) meter.setAttribute('aria-valuenow', Math.round(100 * share));
  };
  const points = (told) => {
    const all = told.kept + told.done;
    const rate = told.done / Math.max(0.001, told.wallMs / 1000);
    progress(all / told.total);
    text.textContent = all + ' of ' + told.total + ' points' + (told.done ? ', ' + number(rate) + ' per second, '
      + duration(1000 * (told.total - all) / rate) + ' left' : '');
  };
  const simulation = (told) => {
    const share = told.endPs ? Math.min(1, told.simulatedPs / told.endPs) : null;
    progress(share);
    const left = share > 0 ? told.wallMs * (1 - share) / share : null;
    text.textContent = simulated(told.simulatedPs) + (told.endPs ? ' of ' + simulated(told.endPs) : '') + ' simulated, '
      + simulated(told.simulatedPs / Math.max(1, told.wallMs) * 1000) + ' per second, ' + number(told.messages)
      + ' messages' + (left === null ? '' : ', ' + duration(left) + ' left');
    const [unit, ps] = timeUnit(told.simulatedPs);
    const curve = (name, values, factor = 1) => ({name, points: values.slice(0, -1)
      .map((each, i) => [(i + 0.5) * told.binPs / ps, each * factor])});
    const x = {xTitle: 'simulated time [' + unit + ']'};
    if (told.deliveredGBps.some((each) => each > 0)) {
      draw('Throughput', lines({...x, yTitle: 'delivered [GB/s]', curves: [curve('delivered', told.deliveredGBps)]}));
      draw('Messages under way, queued ones included', lines({...x, yTitle: 'messages', curves: [curve('messages', told.messagesUnderWay)]}));
    }
    if (told.tiers.some((tier) => tier.use.some((use) => use > 0))) {
      draw('Use of links by tier', lines({...x, yTitle: '[%]', curves: told.tiers.map((tier) => curve(tier.name, tier.use, 100))}));
    }
    if (told.activities.length) {
      draw('Time of ranks by activity', lines({...x, yTitle: '[%]', curves: told.activities
        .filter((each) => each.share.some((share) => share > 0)).map((each) => curve(each.title, each.share, 100))}));
    }
    if (told.links.length) {
      draw('Hottest links so far', bars({xTitle: 'share of simulated time in use [%]', most: 100,
        names: told.links.map((link) => link.name), series: [{name: 'use', values: told.links.map((link) => 100 * link.use)}]}));
    }
  };
  return {node, show: (told) => {
    if (told.kind === 'points') points(told);
    else if (told.kind === 'simulation') simulation(told);
  }};
};

/* The fields of a question that can be changed: paths of a scenario, or options. */
const paths = (text) => {
  const found = [];
  const stack = [];
  text.split('\n').forEach((line) => {
    const match = line.match(/^(\s*)(- )?([A-Za-z][\w-]*):\s*(.*)$/);
    if (!match || line.trim().startsWith('#')) return;
    const indent = match[1].length + (match[2] ? 2 : 0);
    while (stack.length && stack[stack.length - 1].indent >= indent) stack.pop();
    const path = stack.map((each) => each.key + '.').join('') + match[3];
    stack.push({indent, key: match[3]});
    if (match[2] || stack.some((each) => ['tiers', 'workloads', 'sweep', 'report'].includes(each.key))) return;
    const rest = match[4].replace(/#.*/, '').trim();
    if (rest.startsWith('{')) {
      [...rest.matchAll(/([A-Za-z][\w-]*):\s*([^,{}[\]]+)(?=[,}])/g)].forEach((m) =>
        found.push({id: path + '.' + m[1], description: m[2].trim()}));
    } else if (rest) found.push({id: path, description: rest});
  });
  return found.filter((each) => !/^(name|description)$/.test(each.id));
};

const whatIf = async (task) => {
  const asked = task.question;
  const text = ['scenario', 'sweep'].includes(task.kind);
  const kinds = await api.once('/kinds');
  const known = text ? paths(asked.text).concat([{id: 'fidelity', description: ''}, {id: 'seed', description: ''},
    {id: 'cluster.tiers[1].size', description: 'nodes'}]).filter((each, i, all) => all.findIndex((o) => o.id === each.id) === i)
    : kinds[task.kind].options.filter((option) => option.parameter)
      .map((option) => ({id: option.name, description: (asked.options[option.name] || []).join(', ')}));
  const path = field({name: 'what', label: 'field', suggestions: known, placeholder: text ? 'workload.load' : '--nodes'});
  const next = field({name: 'value', label: 'value', placeholder: ''});
  path.input.addEventListener('input', () => {
    const hit = known.find((each) => each.id === path.read());
    next.input.placeholder = hit ? hit.description : '';
  });
  const faults = h('div');
  const ask = async (event) => {
    event.preventDefault();
    const options = {...asked.options};
    if (text) options['--set'] = (options['--set'] || []).filter((each) => !each.startsWith(path.read() + '='))
      .concat(path.read() + '=' + next.read());
    else options[path.read()] = [next.read()];
    try {
      const made = await api.post('/tasks', {...asked, options, name: (task.name.split(' | ')[0] + ' | ' + path.read() + ' = '
        + next.read()).slice(0, 190)});
      go('#/task/' + made.id + '/from/' + task.id);
    } catch (error) {
      showFaults(faults, error.faults || [{path: '', line: 0, message: error.message}], null);
    }
  };
  return h('section', {id: 'what-if'}, h('h2', {}, 'What if'), h('form', {class: 'panel pad', onsubmit: ask},
    h('div', {class: 'row'}, path.node, next.node, h('div', {class: 'actions'},
      h('button', {class: 'button primary', type: 'submit'}, 'Ask with this change'),
      h('a', {class: 'button', href: '#/again/' + task.id}, 'Change more'))), faults));
};

export const taskPage = async (id, from) => {
  let task = await api.get('/tasks/' + id);
  const state = h('span');
  const facts = h('p', {class: 'lead'});
  const actions = h('div', {class: 'actions'});
  const body = h('div');
  const live = liveView();
  let shown = '';
  const act = (path) => attempt(() => api.post('/tasks/' + id + path).then(tick));
  const button = (title, onclick, style = '') => h('button', {type: 'button', class: 'button ' + style, onclick}, title);
  const buttons = () => [
    open(task.state) ? button('Cancel', () => act('/cancel'), 'danger') : null,
    ['failed', 'cancelled'].includes(task.state) ? button('Retry', () => act('/retry'), 'primary') : null,
    from && task.state === 'done' ? h('a', {class: 'button primary', href: '#/compare/' + from + '/' + id},
      'Compare with the original') : null,
    task.parts.report ? button('Report', () => report()) : null,
    task.parts.trace ? h('a', {class: 'button', href: '/api/v1/tasks/' + id + '/trace', download: ''}, 'Perfetto trace') : null,
    task.parts.output && !task.parts.results ? h('a', {class: 'button', href: '/api/v1/tasks/' + id + '/output',
      download: 'output-' + id + '.txt'}, 'Text') : null,
    task.parts.results ? h('a', {class: 'button', href: '/api/v1/tasks/' + id + '/results', download: 'results-' + id + '.json'},
      'JSON') : null,
    open(task.state) ? null : button('Delete', () => attempt(() => api.remove('/tasks/' + id).then(() => go('#/'))), 'danger'),
  ];
  const frame = h('div');
  const report = () => {
    if (frame.firstChild) { fill(frame); return; }
    fill(frame, h('h2', {}, 'Report'), h('iframe', {class: 'report', title: 'Report', sandbox: 'allow-scripts',
      src: '/api/v1/tasks/' + id + '/report'}));
    frame.scrollIntoView({behavior: 'smooth'});
  };
  const content = async () => {
    if (task.state === 'running') return [live.node];
    if (task.state === 'failed') return [h('div', {class: 'faults', role: 'alert'}, h('ul', {}, task.faults.map((fault) =>
      h('li', {}, fault.line ? 'line ' + fault.line + ' ' : '', fault.path && !fault.message.startsWith(fault.path)
        ? [h('code', {}, fault.path), ': '] : '', fault.message))))];
    if (task.state !== 'done') return [];
    const warnings = (task.warnings || '').split('\n').filter(Boolean);
    return [...await answer(task), warnings.length ? h('ul', {class: 'notes'}, warnings.map((line) => h('li', {}, line))) : null];
  };
  const tick = async () => {
    task = await api.get('/tasks/' + id);
    if (task.state === 'running') live.show(await api.get('/tasks/' + id + '/live'));
    fill(facts, task.kind + (task.points > 1 ? ', ' + task.points + ' points' : '') + ' \u00b7 ' + task.user
      + (task.started ? ' \u00b7 ' + duration((task.ended || Date.now()) - task.started) : ' \u00b7 waits since ' + ago(task.created))
      + (task.attempts > 1 ? ' \u00b7 attempt ' + task.attempts : ''));
    if (task.state !== shown) {
      shown = task.state;
      fill(state, badge(task.state));
      fill(actions, buttons());
      fill(body, await content(), frame, await whatIf(task));
    }
  };
  await tick();
  const asked = Object.entries(task.question.options).map(([name, values]) => values.map((each) => name + '=' + each).join(' ')).join(' ');
  const node = h('div', {}, h('div', {class: 'head'}, h('div', {}, h('h1', {}, task.name, ' ', state), facts), actions), body,
    h('details', {}, h('summary', {}, 'Question'), h('div', {class: 'panel'}, h('pre', {class: 'output', tabindex: 0},
      [task.question.test, asked, task.question.text].filter(Boolean).join('\n')))));
  return {title: task.name, node, tick: async () => { if (open(task.state) || open(shown)) await tick(); }, every: 700};
};

export const againPage = async (id) => {
  const task = await api.get('/tasks/' + id);
  return newPage(task.kind, task.question);
};

// --- a comparison ---

const flat = (node, prefix = '') => Object.entries(node).flatMap(([key, each]) => (each && typeof each === 'object'
  ? flat(each, prefix + key + '.') : [[prefix + key, each]]));

const figuresOf = async (a, b) => {
  if (a.kind === 'train' && b.kind === 'train') {
    const [x, y] = await Promise.all([a, b].map((task) => api.get('/tasks/' + task.id + '/results').then((told) =>
      new Map(flat(told).filter(([, each]) => typeof each === 'number')))));
    return [...y.keys()].map((key) => ({title: key, unit: '', a: x.has(key) ? x.get(key) : null, b: y.get(key),
      changePct: x.get(key) ? 100 * (y.get(key) - x.get(key)) / x.get(key) : null}));
  }
  return (await api.get('/compare?a=' + a.id + '&b=' + b.id)).metrics;
};

const table = (rows) => h('div', {class: 'panel scroll'}, h('table', {}, h('thead', {}, h('tr', {}, ['Figure', 'A', 'B', 'Unit',
  'Change [%]'].map((title, i) => h('th', {scope: 'col', class: [1, 2, 4].includes(i) ? 'num' : null}, title)))),
h('tbody', {}, rows.map((row) => h('tr', {}, h('td', {class: 'long'}, row.title), h('td', {class: 'num'}, number(row.a)),
  h('td', {class: 'num'}, number(row.b)), h('td', {}, row.unit === '1' ? '' : row.unit),
  h('td', {class: 'num change ' + (row.changePct > 0 ? 'up' : 'down')}, row.changePct === null ? '\u2013'
    : (row.changePct > 0 ? '+' : '') + (Math.abs(row.changePct) < 1000 ? row.changePct.toFixed(2) : number(row.changePct))))))));

const compared = async (a, b) => {
  if (a.kind === 'nccl-tests' && b.kind === 'nccl-tests') {
    const results = await Promise.all([a, b].map((task) => api.get('/tasks/' + task.id + '/results')));
    const rows = results[1].results.map((row) => {
      const other = results[0].results.find((each) => each.size === row.size);
      const [x, y] = [other ? other.out_of_place.time : null, row.out_of_place.time];
      return {title: bytes(row.size), unit: 'us', a: x, b: y, changePct: x ? 100 * (y - x) / x : null};
    });
    return [...bandwidth([{name: 'A', results: results[0].results}, {name: 'B', results: results[1].results}]), table(rows)];
  }
  if (a.kind === 'sweep' || b.kind === 'sweep' || a.kind === 'hpl' || a.kind === 'search') {
    return [h('div', {class: 'pair'}, await Promise.all([a, b].map(async (task, i) =>
      h('div', {}, h('h2', {}, 'AB'[i] + ': ' + task.name), await answer(task)))))];
  }
  const rows = (await figuresOf(a, b)).filter((row) => row.a !== null || row.b !== null);
  const changed = rows.filter((row) => row.changePct !== null && Math.abs(row.changePct) > 0.01)
    .sort((x, y) => Math.abs(y.changePct) - Math.abs(x.changePct)).slice(0, 12);
  return [changed.length ? chart('Largest changes from A to B', bars({xTitle: 'change [%]',
    names: changed.map((row) => row.title), series: [{name: 'change', values: changed.map((row) => row.changePct)}]})).figure
    : h('p', {class: 'note'}, 'All figures are equal.'), table(rows)];
};

export const comparePage = async (first, second) => {
  const done = (await api.get('/tasks?state=done&limit=300')).tasks;
  const pick = (label, id, change) => {
    const select = h('select', {id: 'pick' + label, onchange: () => change(select.value)},
      h('option', {value: ''}, 'choose a task'), done.map((task) => h('option', {value: task.id}, task.name + ' (' + task.kind
        + ', ' + new Date(task.ended).toLocaleString('en-GB') + ')')));
    select.value = id || '';
    return h('div', {class: 'field'}, h('label', {for: 'pick' + label}, label), select);
  };
  const result = h('div');
  if (first && second) {
    try {
      const [a, b] = await Promise.all([first, second].map((id) => api.get('/tasks/' + id)));
      fill(result, a.kind === b.kind ? await compared(a, b)
        : h('p', {class: 'note'}, 'A is a task of the kind ' + a.kind + ', B of the kind ' + b.kind + '; choose two of one kind.'));
    } catch (error) {
      fill(result, h('div', {class: 'faults'}, error.message));
    }
  }
  return {title: 'Compare', node: h('div', {}, h('h1', {}, 'Compare'), h('div', {class: 'panel pad row'},
    pick('A', first, (id) => go('#/compare/' + (id || '-') + (second ? '/' + second : ''))),
    pick('B', second, (id) => go('#/compare/' + (first || '-') + '/' + id))), result)};
};

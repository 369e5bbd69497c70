/* Forms of questions, made from the options of commands and from the settings of building blocks. */
import {api} from './api.js';
import {h, fill, svg} from './dom.js';

let lists = 0;

/* A field. type: text, a choice 'a | b', integer, 'true or false'. */
export const field = ({name, label, hint, type = 'text', value = '', required = false, suggestions = null,
  placeholder = ''}) => {
  const id = 'f' + (lists += 1);
  const choices = type.includes(' | ') ? type.split(' | ') : null;
  let input;
  if (type === 'switch') {
    input = h('input', {id, type: 'checkbox', name});
    input.checked = value === true;
  } else if (choices || type === 'true or false') {
    input = h('select', {id, name}, h('option', {value: ''}, placeholder ? placeholder + ' (default)' : ''),
      (choices || ['true', 'false']).map((choice) => h('option', {value: choice}, choice)));
    input.value = value;
  } else {
    input = h('input', {id, name, type: 'text', placeholder, autocomplete: 'off', spellcheck: 'false',
      list: suggestions ? id + 'l' : null});
    input.value = value;
  }
  const list = suggestions && h('datalist', {id: id + 'l'}, suggestions.map((each) =>
    h('option', {value: each.id}, each.description || '')));
  const parts = [h('label', {for: id}, label + (required ? ' *' : '')), input, list,
    hint ? h('span', {class: 'hint'}, hint) : null];
  const node = h('div', {class: 'field' + (type === 'switch' ? ' check' : '')},
    type === 'switch' ? [input, parts[0], parts[3]] : parts);
  node.dataset.name = name;
  return {node, input, name, read: () => (type === 'switch' ? input.checked : input.value.trim())};
};

/* Marks the fields that faults name, and lists all of them; go(line) leads to a line of the text. */
export const showFaults = (box, faults, go) => {
  document.querySelectorAll('.field.bad').forEach((node) => node.classList.remove('bad'));
  if (!faults.length) return fill(box);
  faults.forEach((fault) => document.querySelectorAll('[data-name="' + CSS.escape(fault.path) + '"]')
    .forEach((node) => node.classList.add('bad')));
  return fill(box, h('div', {class: 'faults', role: 'alert'}, h('ul', {}, faults.map((fault) => h('li', {},
    fault.line && go ? h('button', {type: 'button', onclick: () => go(fault.line)}, 'line ' + fault.line) : '',
    fault.line ? ' ' : '', fault.path && !fault.message.startsWith(fault.path) ? h('code', {}, fault.path) : '',
    fault.path && !fault.message.startsWith(fault.path) ? ': ' : '', fault.message)))));
};

const presetsOf = async (...kinds) => (await api.once('/presets')).filter((preset) => kinds.includes(preset.kind));
const modelsOf = async () => (await api.once('/presets')).filter((preset) =>
  preset.kind === 'part' && /^(gpt|llama|mpt|mixtral|deepseek|qwen|moe|nemotron|grok|palm|megatron|gemma|mistral)/.test(preset.id));

const FIRST = {
  train: {'--model': 'gpt3-175b', '--cluster': 'hgx-h100', '--nodes': '16', '--global-batch': '256', '--tp': '8', '--pp': '8',
    '--micro-batch': '1', '--fidelity': 'estimate'},
  search: {'--model': 'gpt3-175b', '--cluster': 'hgx-h100', '--nodes': '16', '--global-batch': '256', '--confirm': '0'},
  'nccl-tests': {'--cluster': 'hgx-h100', '--nodes': '2', '--minbytes': '8', '--maxbytes': '8G', '--stepfactor': '2'},
  hpl: {'--cluster': 'hgx-h100', '--nodes': '4'},
};
const FIDELITIES = {train: ['estimate'], 'nccl-tests': ['closed-form'], search: []};
const TESTS = 'all_reduce_perf | all_gather_perf | reduce_scatter_perf | broadcast_perf | reduce_perf | alltoall_perf'
  + ' | sendrecv_perf | gather_perf | scatter_perf | hypercube_perf';

/* The form of a command: the usual options first, the others behind a summary. */
export const commandForm = async (kind, given) => {
  const [kinds, clusters, models, blocks] = await Promise.all([api.once('/kinds'), presetsOf('cluster', 'node'), modelsOf(),
    api.once('/blocks')]);
  const first = FIRST[kind];
  const values = given ? Object.fromEntries(Object.entries(given.options).map(([name, all]) => [name, all.join('\n')])) : first;
  const networks = (FIDELITIES[kind] || []).concat(blocks.filter((block) => block.kind === 'network-model').map((b) => b.id));
  const make = (option) => field({
    name: option.name, label: option.name.slice(2).replace(/-/g, ' '), hint: option.description, required: option.required,
    type: option.parameter === '' ? 'switch' : option.name === '--fidelity' ? networks.join(' | ') : 'text',
    value: option.parameter === '' ? Boolean(values[option.name]) : values[option.name] || '',
    suggestions: option.name === '--cluster' ? clusters : option.name === '--model' && kind !== 'hpl' ? models : null,
    placeholder: option.parameter,
  });
  const options = kinds[kind].options;
  const usual = options.filter((option) => option.name in first).map(make);
  const rest = options.filter((option) => !(option.name in first)).map(make);
  const test = kind === 'nccl-tests' ? [field({name: 'test', label: 'test', type: TESTS,
    value: given ? given.test : 'all_reduce_perf', hint: 'the program of nccl-tests'})] : [];
  let text = null;
  let editor = null;
  if (kind === 'hpl') {
    editor = h('textarea', {'aria-label': 'HPL.dat', spellcheck: 'false'});
    text = given ? given.text : await api.get('/samples?name=HPL.dat').then((s) => s.text).catch(() => '');
    editor.value = text;
  }
  const all = usual.concat(rest);
  const node = h('div', {}, h('div', {class: 'panel pad'}, h('div', {class: 'fields'},
    test.map((f) => f.node), usual.map((f) => f.node)),
  h('details', {open: rest.some((f) => f.read())}, h('summary', {}, 'More options (' + rest.length + ')'),
    h('div', {class: 'fields'}, rest.map((f) => f.node)))),
  editor ? [h('h2', {}, 'HPL.dat'), editor] : null);
  const read = () => {
    const chosen = {};
    all.forEach((f) => {
      const value = f.read();
      if (value === true) chosen[f.name] = true;
      else if (value) chosen[f.name] = ['--set', '--env'].includes(f.name) ? value.split('\n') : value;
    });
    const question = {kind, options: chosen};
    if (test.length) question.test = test[0].read();
    if (editor) question.text = editor.value;
    return question;
  };
  return {node, read, editor};
};

const plain = (value) => (/^[A-Za-z0-9][A-Za-z0-9 %/._+-]*$/.test(value) || /^[\[{]/.test(value) ? value : JSON.stringify(value));

/* The form that writes a scenario: a cluster's preset, a workload with its settings, fidelity and window. */
const builder = async (write) => {
  const [clusters, blocks] = await Promise.all([presetsOf('cluster'), api.once('/blocks')]);
  const ids = (kind) => blocks.filter((block) => block.kind === kind).map((block) => block.id);
  const cluster = field({name: 'cluster', label: 'cluster', value: 'hgx-h100', suggestions: clusters,
    hint: 'a preset; its parts can be written out in the text'});
  const workload = field({name: 'workload', label: 'workload', type: ids('workload').join(' | '), value: 'traffic'});
  const fidelity = field({name: 'fidelity', label: 'fidelity', type: ids('network-model').join(' | '), value: 'packet'});
  const collectives = field({name: 'collectives', label: 'collectives', type: ids('collective-algorithm').join(' | '),
    placeholder: 'none'});
  const measure = field({name: 'measure', label: 'measured window', value: '200 us',
    hint: 'empty: until everything is delivered'});
  const warmup = field({name: 'warmup', label: 'warm-up', value: '50 us'});
  const settings = h('div', {class: 'fields'});
  const note = h('p', {class: 'note'});
  let fields = [];
  const text = () => {
    const run = [warmup.read() && 'warmup: ' + warmup.read(), measure.read() && 'measure: ' + measure.read()].filter(Boolean);
    const work = ['type: ' + workload.read()].concat(fields.filter((f) => f.read()).map((f) => f.name + ': ' + plain(f.read())));
    return ['name: ' + (workload.read() + '-on-' + cluster.read()).replace(/[^A-Za-z0-9._-]/g, '-'),
      'fidelity: ' + fidelity.read(), run.length ? 'run: {' + run.join(', ') + '}' : null,
      'cluster: {preset: ' + cluster.read() + '}', 'workload:', ...work.map((line) => '  ' + line),
      collectives.read() ? 'collectives: {type: ' + collectives.read() + '}' : null, ''].filter((line) => line !== null).join('\n');
  };
  const update = () => write(text());
  const load = async () => {
    const schema = await api.once('/settings/workload/' + encodeURIComponent(workload.read()));
    note.textContent = schema.description;
    fields = schema.settings.map((setting) => field({
      name: setting.key, label: setting.key.replace(/-/g, ' '), type: setting.type, required: setting.required,
      placeholder: setting.default || '', hint: setting.text + (setting.min || setting.max
        ? ' (' + [setting.min && 'from ' + setting.min, setting.max && 'to ' + setting.max].filter(Boolean).join(' ') + ')' : ''),
    }));
    fill(settings, fields.map((f) => f.node));
    update();
  };
  workload.input.addEventListener('change', load);
  const node = h('div', {class: 'panel pad', oninput: update}, h('div', {class: 'fields'},
    [cluster, workload, fidelity, collectives, warmup, measure].map((f) => f.node)), note,
  h('details', {}, h('summary', {}, 'Settings of the workload'), settings));
  return {node, start: load};
};

/* The form of a scenario: samples or a form on one side, the text on the other. */
export const scenarioForm = async (given) => {
  const samples = (await api.once('/samples')).filter((sample) => sample.kind !== 'hpl');
  const editor = h('textarea', {'aria-label': 'Scenario (YAML)', spellcheck: 'false'});
  const picker = h('select', {id: 'sample', onchange: () => picker.value && api.get('/samples?name='
    + encodeURIComponent(picker.value)).then((sample) => { editor.value = sample.text; })},
  h('option', {value: ''}, 'choose a sample'),
  samples.map((sample) => h('option', {value: sample.name}, sample.name.replace('.yaml', '')
    + (sample.description ? ' \u2013 ' + sample.description.slice(0, 90) : ''))));
  const sets = field({name: '--set', label: 'overrides', hint: 'PATH=VALUE, several with ; between',
    value: given && given.options['--set'] ? given.options['--set'].join(' ; ') : '',
    placeholder: 'workload.load=50 % ; cluster.tiers[1].size=8'});
  const built = await builder((text) => { editor.value = text; });
  const details = h('details', {ontoggle: () => { if (details.open) built.start(); }}, h('summary', {}, 'Write it by a form'),
    built.node);
  const drawing = h('div', {});
  const draw = async () => {
    try {
      const made = await api.post('/topology', {text: editor.value});
      fill(drawing, h('div', {class: 'panel pad drawn'}, h('h3', {}, made.tiers.map((tier) => tier.name).join(' \u2013 ')),
        h('p', {class: 'note'}, made.nodes + ' nodes, ' + made.devices + ' devices, ' + made.links / 2 + ' links'),
        made.svg ? svg(made.svg) : h('p', {class: 'note'}, 'too large to be drawn')));
    } catch (error) {
      fill(drawing, h('div', {class: 'faults'}, error.message));
    }
  };
  if (given) editor.value = given.text;
  else if (samples.some((sample) => sample.name === 'first.yaml')) {
    picker.value = 'first.yaml';
    editor.value = (await api.get('/samples?name=first.yaml')).text;
  } else built.start();
  const node = h('div', {}, h('div', {class: 'columns'},
    h('div', {}, h('div', {class: 'field'}, h('label', {for: 'sample'}, 'Sample'), picker), details, sets.node,
      h('button', {type: 'button', class: 'button', onclick: draw}, 'Draw the topology')),
    h('div', {}, editor)), drawing);
  const read = () => {
    const options = {};
    const values = sets.read().split(';').map((each) => each.trim()).filter(Boolean);
    if (values.length) options['--set'] = values;
    return {kind: /^sweep:/m.test(editor.value) ? 'sweep' : 'scenario', text: editor.value, options};
  };
  return {node, read, editor};
};

/* Leads to a line of a text. */
export const goToLine = (editor) => (line) => {
  const begin = editor.value.split('\n').slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0);
  const end = editor.value.indexOf('\n', begin);
  editor.focus();
  editor.setSelectionRange(begin, end < 0 ? editor.value.length : end);
  editor.scrollTop = Math.max(0, (line - 6) * 19.5);
};

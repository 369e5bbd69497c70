/* Elements of a page; texts are always set as text, never as markup. */
export const h = (tag, attributes = {}, ...children) => {
  const node = document.createElement(tag);
  Object.entries(attributes).forEach(([name, value]) => {
    if (value === null || value === undefined || value === false) return;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name === 'value') node.value = value;
    else node.setAttribute(name, value === true ? '' : String(value));
  });
  node.append(...children.flat(9).filter((child) => child !== null && child !== undefined));
  return node;
};

/* Replaces the content of a node, without redrawing what is equal. */
export const fill = (node, ...children) => { node.replaceChildren(...children.flat(9).filter(Boolean)); return node; };

/* An SVG element of the service's own report module. */
export const svg = (text) => {
  const parsed = new DOMParser().parseFromString(text, 'text/html').querySelector('svg');
  return parsed ? document.importNode(parsed, true) : h('p', {class: 'note'}, 'no drawing');
};

export const toast = (text) => {
  const note = h('div', {}, text);
  document.getElementById('toast').append(note);
  setTimeout(() => note.remove(), 5000);
};

export const number = (value) => {
  if (value === null || value === undefined || Number.isNaN(value)) return '\u2013';
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e9)) return value.toExponential(2);
  if (size >= 1e4) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(4)));
};

export const bytes = (value) => {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) { value /= 1024; unit += 1; }
  return number(value) + '\u00a0' + units[unit];
};

export const duration = (ms) => {
  if (!(ms >= 0)) return '\u2013';
  const s = ms / 1000;
  if (s < 10) return s.toFixed(1) + '\u00a0s';
  if (s < 120) return Math.round(s) + '\u00a0s';
  const m = Math.round(s / 60);
  return m < 120 ? m + '\u00a0min' : Math.floor(m / 60) + '\u00a0h\u00a0' + (m % 60) + '\u00a0min';
};

const TIMES = [['ps', 1], ['ns', 1e3], ['us', 1e6], ['ms', 1e9], ['s', 1e12]];

/* The unit in which a simulated time is read best, and its picoseconds. */
export const timeUnit = (ps) => TIMES.filter(([, each]) => ps >= each).pop() || TIMES[0];

export const simulated = (ps) => {
  const [name, factor] = timeUnit(ps);
  return number(ps / factor) + '\u00a0' + name;
};

/* Value and unit of a figure as reports show them: a time in the unit in which it is read best. */
export const quantity = (value, unit) => {
  const known = TIMES.find(([name]) => name === unit);
  return known && value > 0 ? simulated(value * known[1]).split('\u00a0') : [number(value), unit];
};

export const ago = (ms) => duration(Date.now() - ms) + ' ago';

/* Finds the page of the address, keeps it up to date, and keeps theme and session. */
import {api} from './api.js';
import {redraw} from './charts.js';
import {fill, h} from './dom.js';
import {againPage, comparePage, newPage, tasksPage, taskPage} from './pages.js';

const root = document.documentElement;
const main = document.getElementById('main');
const dark = window.matchMedia('(prefers-color-scheme: dark)');
const themeButton = document.getElementById('theme');

const theme = (name) => {
  root.dataset.theme = name;
  themeButton.textContent = name === 'dark' ? 'Light theme' : 'Dark theme';
  redraw();
};
themeButton.addEventListener('click', () => {
  theme(root.dataset.theme === 'dark' ? 'light' : 'dark');
  localStorage.setItem('theme', root.dataset.theme);
});
dark.addEventListener('change', () => { if (!localStorage.getItem('theme')) theme(dark.matches ? 'dark' : 'light'); });
theme(localStorage.getItem('theme') || (dark.matches ? 'dark' : 'light'));

const signIn = () => {
  const input = h('input', {type: 'password', id: 'token', autocomplete: 'current-password'});
  const note = h('p', {class: 'note', role: 'alert'});
  const submit = async (event) => {
    event.preventDefault();
    try {
      await api.post('/session', {token: input.value.trim()});
      start();
    } catch (error) {
      note.textContent = error.message;
    }
  };
  fill(main, h('form', {class: 'panel pad', onsubmit: submit}, h('h1', {}, 'Sign in'), h('div', {class: 'field'},
    h('label', {for: 'token'}, 'Token'), input, h('span', {class: 'hint'}, 'the operator of this service gives it')),
  h('button', {class: 'button primary', type: 'submit'}, 'Sign in'), note));
};

const pageOf = (parts) => {
  const id = (text) => (text && text !== '-' ? text : '');
  switch (parts[0]) {
    case 'new': return ['new', () => newPage(parts[1])];
    case 'again': return ['new', () => againPage(parts[1])];
    case 'task': return ['tasks', () => taskPage(parts[1], parts[2] === 'from' ? parts[3] : '')];
    case 'compare': return ['compare', () => comparePage(id(parts[1]), id(parts[2]))];
    default: return ['tasks', () => tasksPage()];
  }
};

let timer = 0;
let turn = 0;
const show = async () => {
  clearTimeout(timer);
  const mine = turn += 1;
  const [name, make] = pageOf(window.location.hash.replace(/^#\/?/, '').split('/').map(decodeURIComponent));
  document.querySelectorAll('nav a[data-page]').forEach((link) => {
    if (link.dataset.page === name) link.setAttribute('aria-current', 'page'); else link.removeAttribute('aria-current');
  });
  try {
    const page = await make();
    if (mine !== turn) return;
    fill(main, page.node);
    document.title = page.title + ' - Heddle';
    main.dataset.ready = window.location.hash;
    main.focus({preventScroll: true});
    window.scrollTo(0, 0);
    const again = async () => {
      try {
        if (page.tick && !document.hidden) await page.tick();
        main.classList.remove('lost');
      } catch (error) {
        if (error.status === 401) { start(); return; }
      }
      if (mine === turn && page.tick) timer = setTimeout(again, page.every);
    };
    timer = setTimeout(again, page.every || 1000);
  } catch (error) {
    if (mine !== turn) return;
    if (error.status === 401) start();
    else fill(main, h('div', {class: 'faults', role: 'alert'}, error.message));
  }
};

const start = async () => {
  try {
    const service = await api.get('/service');
    document.getElementById('version').textContent = service.version;
    document.getElementById('who').textContent = service.tokens ? service.user : '';
    if (service.user) await show(); else signIn();
  } catch (error) {
    fill(main, h('div', {class: 'faults', role: 'alert'}, error.message));
  }
};

window.addEventListener('hashchange', show);
start();

/* Theme, menu, versions, and the search of the documentation; everything is read from files beside the page. */
(() => {
  'use strict';
  const root = document.documentElement;
  const {base, version} = document.body.dataset;

  const stored = (key) => { try { return localStorage.getItem(key); } catch { return null; } };
  const show = (theme) => {
    root.dataset.theme = theme;
    button.textContent = theme === 'dark' ? 'Light' : 'Dark';
  };
  const button = document.querySelector('button.theme');
  show(stored('heddle-theme') || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'));
  button.addEventListener('click', () => {
    const theme = root.dataset.theme === 'dark' ? 'light' : 'dark';
    show(theme);
    try { localStorage.setItem('heddle-theme', theme); } catch { /* The choice then holds for this page. */ }
  });

  const menu = document.querySelector('button.menu');
  const pages = document.getElementById('pages');
  menu.addEventListener('click', () => menu.setAttribute('aria-expanded', String(pages.classList.toggle('open'))));
  const current = pages.querySelector('[aria-current]');
  if (current) pages.scrollTop = current.offsetTop - pages.clientHeight / 2;

  const load = (path) => new Promise((done, failed) => {
    const script = document.createElement('script');
    script.src = base + path;
    script.onload = done;
    script.onerror = failed;
    document.head.append(script);
  });

  load('../versions.js').then(() => {
    const names = self.heddleVersions;
    if (names.length < 2) return;
    const select = document.createElement('select');
    select.setAttribute('aria-label', 'Version');
    names.forEach((name) => select.add(new Option(name, name, false, name === version)));
    select.addEventListener('change', () => { location.href = `${base}../${select.value}/index.html`; });
    document.querySelector('.version').replaceChildren(select);
  }).catch(() => { /* A version that stands alone. */ });

  const form = document.querySelector('form.search');
  const input = form.querySelector('input');
  const found = document.getElementById('found');
  let index = null;
  let chosen = -1;
  const ready = async () => {
    if (index) return;
    await load('minisearch/minisearch.js');
    await load('search-index.js');
    const built = new MiniSearch({
      fields: ['title', 'page', 'text'], storeFields: ['title', 'page', 'text'],
      searchOptions: {boost: {title: 4, page: 2}, prefix: true, fuzzy: (term) => term.length > 4 ? 0.2 : 0, combineWith: 'AND'},
    });
    built.addAll(self.heddleSearch);
    index = built;
  };
  const close = () => {
    found.hidden = true;
    input.setAttribute('aria-expanded', 'false');
  };
  const excerpt = (text, terms) => {
    const lower = text.toLowerCase();
    const at = Math.max(0, Math.min(...terms.map((term) => lower.indexOf(term)).filter((place) => place >= 0)));
    const start = Number.isFinite(at) ? Math.max(0, at - 50) : 0;
    return (start > 0 ? '… ' : '') + text.slice(start, start + 140);
  };
  const choose = (place) => {
    const items = [...found.querySelectorAll('[role="option"]')];
    if (items.length === 0) return;
    chosen = (place + items.length) % items.length;
    items.forEach((item, i) => item.setAttribute('aria-selected', String(i === chosen)));
    items[chosen].scrollIntoView({block: 'nearest'});
  };
  const search = async () => {
    const text = input.value.trim();
    if (!text) return close();
    await ready();
    const hits = index.search(text).slice(0, 12);
    found.replaceChildren(...hits.map((hit) => {
      const item = document.createElement('li');
      item.setAttribute('role', 'option');
      const link = document.createElement('a');
      link.href = base + hit.id;
      const detail = document.createElement('small');
      detail.textContent = (hit.page === hit.title ? '' : hit.page + ' · ') + excerpt(hit.text, hit.terms);
      link.append(hit.title, detail);
      item.append(link);
      return item;
    }));
    if (hits.length === 0) {
      const none = document.createElement('li');
      none.className = 'none';
      none.textContent = 'Nothing found';
      found.append(none);
    }
    found.hidden = false;
    input.setAttribute('aria-expanded', 'true');
    chosen = -1;
    choose(0);
  };
  input.addEventListener('focus', () => { ready().catch(() => { input.placeholder = 'The search cannot be loaded'; }); });
  input.addEventListener('input', search);
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      choose(chosen + (event.key === 'ArrowDown' ? 1 : -1));
    } else if (event.key === 'Escape') {
      close();
    }
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const link = found.querySelector('[aria-selected="true"] a');
    if (link) location.href = link.href;
    close();
  });
  document.addEventListener('click', (event) => { if (!form.contains(event.target)) close(); });
  document.addEventListener('keydown', (event) => {
    if (event.key === '/' && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) {
      event.preventDefault();
      input.focus();
    }
  });
})();

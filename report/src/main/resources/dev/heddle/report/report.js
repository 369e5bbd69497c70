/* Draws the plots of a report from the data block of its page, and sorts its tables. */
(() => {
  'use strict';
  const root = document.documentElement;
  const status = document.getElementById('status');
  const errors = [];
  const fail = (error) => {
    errors.push(String(error && error.message ? error.message : error));
    status.dataset.errors = String(errors.length);
    status.textContent = 'A plot could not be drawn:\n' + errors.join('\n');
  };
  window.addEventListener('error', (event) => fail(event.error || event.message));

  const SYMBOLS = ['circle', 'rect', 'triangle', 'diamond', 'emptyCircle', 'emptyRect', 'emptyTriangle', 'emptyDiamond'];
  const DASHES = ['solid', 'dashed', 'dotted'];
  const ESCAPES = {'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;'};
  const escape = (text) => String(text).replace(/[&<>"']/g, (c) => ESCAPES[c]);

  const number = (value) => {
    if (value === null || value === undefined || Number.isNaN(value)) return '\u2013';
    const size = Math.abs(value);
    if (size !== 0 && (size < 1e-4 || size >= 1e9)) return value.toExponential(2);
    return String(Number(value.toPrecision(4)));
  };
  // Short enough for the room beside an axis.
  const tick = (value) => {
    const size = Math.abs(value);
    if (size < 1e4 || size >= 1e12) return number(value);
    const [unit, suffix] = size >= 1e9 ? [1e9, 'G'] : size >= 1e6 ? [1e6, 'M'] : [1e3, 'k'];
    return number(value / unit) + suffix;
  };
  const bytes = (value) => {
    const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
    let unit = 0;
    while (value >= 1024 && unit < units.length - 1) { value /= 1024; unit += 1; }
    return number(value) + '\u00a0' + units[unit];
  };
  const withUnit = (value, unit) => {
    if (unit === 'B' && value !== null) return bytes(value);
    const text = number(value);
    return !unit || unit === '1' || value === null ? text : text + '\u00a0' + unit;
  };
  const percent = (share) => (share === null ? '\u2013' : (100 * share).toFixed(1) + '\u00a0%');

  const colours = () => {
    const style = getComputedStyle(root);
    const get = (name) => style.getPropertyValue(name).trim();
    return {
      series: [1, 2, 3, 4, 5, 6, 7, 8].map((i) => get('--series-' + i)),
      ink: get('--ink'), muted: get('--muted'), line: get('--line'), grid: get('--grid'), surface: get('--surface'),
      pass: get('--pass'),
    };
  };
  const frame = (c) => ({
    animation: false,
    textStyle: {fontFamily: getComputedStyle(document.body).fontFamily, color: c.ink},
    aria: {enabled: true},
  });
  const tooltip = (c, extra) => Object.assign({
    confine: true, backgroundColor: c.surface, borderColor: c.line, padding: [8, 12],
    textStyle: {color: c.ink, fontSize: 12.5}, extraCssText: 'max-width:420px;white-space:normal;',
  }, extra);
  const axisStyle = (c) => ({
    axisLine: {lineStyle: {color: c.line}}, axisTick: {lineStyle: {color: c.line}},
    axisLabel: {color: c.muted, fontSize: 11.5, hideOverlap: true},
    nameTextStyle: {color: c.muted, fontSize: 12}, splitLine: {lineStyle: {color: c.grid}},
    minorSplitLine: {show: false},
  });
  const tipTable = (head, rows) => '<strong>' + head + '</strong><table style="font-size:12.5px;width:auto">'
    + rows.map((cells) => '<tr>' + cells.map((cell, i) =>
      '<td style="padding:1px 0 1px ' + (i ? 12 : 0) + 'px;background:none;text-align:' + (i ? 'right' : 'left') + '">'
      + cell + '</td>').join('') + '</tr>').join('') + '</table>';

  /* A row of panels with one legend; panels wrap where the page is narrow. */
  const legendLines = (names, width) => {
    let lines = 1, used = 0;
    names.forEach((name) => {
      const need = 46 + 7 * name.length;
      if (used + need > width - 40) { lines += 1; used = 0; }
      used += need;
    });
    return lines;
  };
  const extent = (panels, log) => {
    let least = Infinity, most = -Infinity;
    panels.forEach((panel) => panel.curves.forEach((curve) => curve.y.forEach((y) => {
      if (y === null || (log && y <= 0)) return;
      least = Math.min(least, y); most = Math.max(most, y);
    })));
    return least > most ? null : {least, most};
  };
  const shared = (panels, log) => {
    const range = extent(panels, log);
    if (!range) return {};
    if (log) return {
      min: 10 ** Math.floor(Math.log10(range.least) + 1e-9), max: 10 ** Math.ceil(Math.log10(range.most) - 1e-9)};
    const fifth = Math.max(Math.abs(range.most), Math.abs(range.least), 1e-300) / 5;
    const power = 10 ** Math.floor(Math.log10(fifth));
    const interval = [1, 2, 2.5, 5, 10].find((times) => times * power >= fifth * (1 - 1e-9)) * power;
    const top = Math.ceil(range.most / interval - 1e-9) * interval;
    return {min: range.least < 0 ? Math.floor(range.least / interval) * interval : 0, max: top === 0 ? 1 : top, interval};
  };
  const xAxis = (spec, c, index) => {
    const type = spec.panels[index].xType;
    const axis = Object.assign({gridIndex: index, type, name: spec.xTitle, nameLocation: 'middle', nameGap: 28},
      axisStyle(c));
    axis.axisLabel = Object.assign({}, axis.axisLabel);
    if (type === 'category') {
      axis.data = spec.categories;
      axis.axisLabel.interval = 'auto';
      return axis;
    }
    if (type === 'log') axis.logBase = spec.xUnit === 'B' ? 2 : 10;
    axis.axisLabel.formatter = spec.xUnit === 'B' ? bytes : tick;
    const all = spec.panels.filter((panel) => panel.xType === type)
      .flatMap((panel) => panel.curves.flatMap((curve) => curve.x)).filter((x) => x !== null);
    const least = Math.min(...all), most = Math.max(...all);
    if (type === 'log') {
      if (spec.xUnit === 'B') { axis.min = 'dataMin'; axis.max = 'dataMax'; }
    } else if (least >= 0 && least <= 0.5 * most) axis.min = 0;
    else axis.scale = true;
    axis.splitLine = {show: false};
    return axis;
  };
  const curveSeries = (spec, panel, curve, index, c) => {
    const rank = spec.series.indexOf(curve.name);
    const colour = c.series[rank % c.series.length];
    const data = curve.y.map((y, i) => [curve.x[i], panel.logY && y !== null && y <= 0 ? null : y])
      .filter((point) => point[0] !== null && !(panel.xType === 'log' && point[0] <= 0));
    const series = {
      name: curve.name, type: 'line', xAxisIndex: index, yAxisIndex: index, data, connectNulls: false,
      color: colour, symbol: SYMBOLS[rank % SYMBOLS.length], symbolSize: 6, showSymbol: data.length <= 40,
      lineStyle: {width: 2, type: DASHES[Math.floor(rank / c.series.length) % DASHES.length]},
      emphasis: {focus: 'series', lineStyle: {width: 3}}, clip: true,
    };
    if (curve.mode === 'points') Object.assign(series, {lineStyle: {width: 0}, symbolSize: 9, showSymbol: true});
    if (curve.mode === 'bars') Object.assign(series, {type: 'bar', barMaxWidth: 26, symbol: undefined});
    if (panel.band !== null && panel.band !== undefined && curve === panel.curves[0]) {
      series.markArea = {silent: true, itemStyle: {color: c.pass, opacity: 0.1},
        data: [[{yAxis: -panel.band}, {yAxis: panel.band}]]};
    }
    return series;
  };
  const panelsOption = (spec, width, c) => {
    const count = spec.panels.length;
    const columns = Math.max(1, Math.min(count, 4, Math.floor(width / (spec.sharedY ? 250 : 360))));
    const named = spec.series.filter((name) => name !== '');
    const legendShown = named.length > 1 || (named.length === 1 && count > 1);
    const lines = legendShown ? Math.min(legendLines(named, width), 5) : 0;
    const top = legendShown ? 10 + 24 * lines : 4;
    const titles = spec.panels.some((panel) => panel.title !== '');
    const left = 68, right = 32, gap = spec.sharedY ? 22 : 78, height = 250;
    const xTitled = spec.xTitle !== '';
    const rowHeight = height + (titles ? 28 : 10) + (xTitled ? 50 : 30);
    const panelWidth = Math.max(80, (width - left - right - gap * (columns - 1)) / columns);
    const option = Object.assign(frame(c), {title: [], grid: [], xAxis: [], yAxis: [], series: []});
    const range = spec.sharedY ? shared(spec.panels, spec.panels.some((panel) => panel.logY)) : {};
    spec.panels.forEach((panel, i) => {
      const column = i % columns;
      const x = left + column * (panelWidth + gap);
      const y = top + Math.floor(i / columns) * rowHeight + (titles ? 28 : 10);
      if (panel.title !== '') {
        option.title.push({text: panel.title, left: x + panelWidth / 2, top: y - 26, textAlign: 'center',
          textStyle: {fontSize: 13, fontWeight: 600, color: c.ink, width: panelWidth, overflow: 'truncate'}});
      }
      option.grid.push({left: x, top: y, width: panelWidth, height});
      option.xAxis.push(xAxis(spec, c, i));
      const axis = Object.assign({gridIndex: i, type: panel.logY ? 'log' : 'value', nameLocation: 'middle', nameGap: 50},
        axisStyle(c), range);
      axis.axisLabel = Object.assign({}, axis.axisLabel, {formatter: tick, show: !spec.sharedY || column === 0});
      if (!spec.sharedY || column === 0) axis.name = panel.yTitle;
      option.yAxis.push(axis);
      panel.curves.forEach((curve) => option.series.push(curveSeries(spec, panel, curve, i, c)));
    });
    option.legend = {show: legendShown, data: named, top: 2, left: 'center', type: lines === 5 ? 'scroll' : 'plain',
      textStyle: {color: c.ink, fontSize: 12.5}, itemWidth: 22, itemGap: 16, inactiveColor: c.line,
      pageTextStyle: {color: c.muted}, pageIconColor: c.muted};
    option.tooltip = tooltip(c, {trigger: 'axis', axisPointer: {type: 'line', lineStyle: {color: c.muted, type: 'dashed'}},
      formatter: (items) => {
        const panel = spec.panels[items[0].axisIndex || 0];
        const x = panel.xType === 'category' ? escape(items[0].axisValueLabel) : withUnit(items[0].value[0], spec.xUnit);
        const head = (panel.title ? escape(panel.title) + ' \u00b7 ' : '') + x;
        return tipTable(head, items.map((item) =>
          [item.marker + escape(item.seriesName || panel.yTitle), withUnit(item.value[1], panel.unit)]));
      }});
    return {option, height: top + Math.ceil(count / columns) * rowHeight};
  };

  /* The most used links as bars: the share of the window that each carried bytes, and that it waited for credits. */
  const linksOption = (spec, width, c, choice) => {
    const order = spec.names.map((name, i) => i)
      .filter((i) => choice.tier === '' || spec.tiers[spec.tier[i]] === choice.tier)
      .sort((a, b) => (spec[choice.sort][b] || 0) - (spec[choice.sort][a] || 0) || a - b)
      .slice(0, Number(choice.count));
    const left = Math.min(300, Math.max(110, width * 0.32));
    const rows = order.slice().reverse();
    const option = Object.assign(frame(c), {
      grid: {left, right: 30, top: 34, bottom: 46},
      legend: {top: 2, left, textStyle: {color: c.ink, fontSize: 12.5}},
      xAxis: Object.assign({type: 'value', min: 0, max: 100, name: 'share of the measured window [%]',
        nameLocation: 'middle', nameGap: 28}, axisStyle(c)),
      yAxis: Object.assign({type: 'category', data: rows.map((i) => spec.names[i])}, axisStyle(c)),
      series: [
        {name: 'carrying bytes', type: 'bar', stack: 'use', color: c.series[0], barMaxWidth: 13,
          data: rows.map((i) => 100 * (spec.utilization[i] || 0))},
        {name: 'waiting for credits', type: 'bar', stack: 'use', color: c.series[1], barMaxWidth: 13,
          data: rows.map((i) => 100 * (spec.stall[i] || 0))},
      ],
      tooltip: tooltip(c, {trigger: 'axis', axisPointer: {type: 'shadow'}, formatter: (items) => {
        const i = rows[items[0].dataIndex];
        return tipTable(escape(spec.names[i]), [
          ['tier', escape(spec.tiers[spec.tier[i]])], ['carrying bytes', percent(spec.utilization[i])],
          ['waiting for credits', percent(spec.stall[i])],
          ['payload', number(spec.payload[i]) + ' of ' + withUnit(spec.rate[i], 'GB/s')],
          ['most bytes waiting', bytes(spec.queue[i])]]);
      }}),
    });
    option.yAxis.axisLabel = {color: c.muted, fontSize: 11, width: left - 12, overflow: 'truncate', interval: 0};
    return {option, height: 90 + 19 * Math.max(1, rows.length)};
  };

  const DRAW = {
    panels: (spec, width, c) => panelsOption(spec, width, c),
    links: (spec, width, c, choice) => linksOption(spec, width, c, choice),
  };
  const drawn = [];
  const draw = (entry) => {
    try {
      const width = Math.max(260, entry.node.clientWidth);
      const made = DRAW[entry.spec.kind](entry.spec, width, colours(), entry.choice);
      entry.node.style.height = made.height + 'px';
      entry.chart.resize({width, height: made.height});
      entry.chart.setOption(made.option, true);
      entry.width = width;
    } catch (error) {
      fail(error);
    }
  };
  const begin = (node, spec) => {
    const entry = {node, spec, choice: {}, chart: echarts.init(node, null, {renderer: 'svg', width: 600, height: 300})};
    node.parentElement.querySelectorAll('[data-choice]').forEach((control) => {
      const read = () => {
        entry.choice[control.dataset.choice] = control.type === 'checkbox' ? control.checked : control.value;
        if (control.dataset.choice === 'logY') spec.panels.forEach((panel) => { panel.logY = control.checked; });
      };
      read();
      control.addEventListener('change', () => { read(); draw(entry); });
    });
    draw(entry);
    drawn.push(entry);
  };

  const sortTable = (table, column, header) => {
    const descending = header.getAttribute('aria-sort') === 'ascending';
    table.querySelectorAll('th').forEach((th) => th.removeAttribute('aria-sort'));
    header.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
    const key = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent;
    const body = table.tBodies[0];
    Array.from(body.rows).sort((a, b) => {
      const x = key(a), y = key(b);
      const numeric = x !== '' && y !== '' && Number.isFinite(Number(x)) && Number.isFinite(Number(y));
      if (!numeric && (x === '') !== (y === '')) return x === '' ? 1 : -1;
      const order = numeric ? Number(x) - Number(y) : x.localeCompare(y, 'en');
      return descending ? -order : order;
    }).forEach((row) => body.appendChild(row));
  };
  document.querySelectorAll('table.sortable').forEach((table) => {
    table.querySelectorAll('thead th').forEach((header, column) => {
      header.querySelector('button').addEventListener('click', () => sortTable(table, column, header));
    });
  });

  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const theme = (name) => {
    root.dataset.theme = name;
    const button = document.querySelector('button.theme');
    button.textContent = name === 'dark' ? 'Light theme' : 'Dark theme';
    drawn.forEach(draw);
  };
  document.querySelector('button.theme').addEventListener('click', () =>
    theme(root.dataset.theme === 'dark' ? 'light' : 'dark'));
  dark.addEventListener('change', () => theme(dark.matches ? 'dark' : 'light'));
  let shownTheme = null;
  window.addEventListener('beforeprint', () => { shownTheme = root.dataset.theme; theme('light'); });
  window.addEventListener('afterprint', () => { if (shownTheme) theme(shownTheme); });
  let pending = 0;
  window.addEventListener('resize', () => {
    cancelAnimationFrame(pending);
    pending = requestAnimationFrame(() => drawn.filter((entry) => entry.node.clientWidth !== entry.width).forEach(draw));
  });

  theme(dark.matches ? 'dark' : 'light');
  const specs = JSON.parse(document.getElementById('data').textContent);
  document.querySelectorAll('[data-chart]').forEach((node) => {
    try {
      begin(node, specs[Number(node.dataset.chart)]);
    } catch (error) {
      fail(error);
    }
  });
  status.dataset.drawn = String(drawn.filter((entry) => entry.node.querySelector('svg path')).length);
})();

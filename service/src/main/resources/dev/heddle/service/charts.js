/* Charts in the style of reports. */
import {h, number} from './dom.js';

const live = new Set();

const colours = () => {
  const style = getComputedStyle(document.documentElement);
  const get = (name) => style.getPropertyValue(name).trim();
  return {
    series: [1, 2, 3, 4, 5, 6, 7, 8].map((i) => get('--series-' + i)),
    ink: get('--ink'), muted: get('--muted'), line: get('--line'), grid: get('--grid'), surface: get('--surface'),
  };
};

const axis = (c) => ({
  axisLine: {lineStyle: {color: c.line}}, axisTick: {lineStyle: {color: c.line}},
  axisLabel: {color: c.muted, fontSize: 11.5, hideOverlap: true}, nameLocation: 'middle',
  nameTextStyle: {color: c.muted, fontSize: 12}, splitLine: {lineStyle: {color: c.grid}},
});

const base = (c) => ({
  animation: false, aria: {enabled: true},
  textStyle: {fontFamily: getComputedStyle(document.body).fontFamily, color: c.ink},
  tooltip: {trigger: 'axis', confine: true, backgroundColor: c.surface, borderColor: c.line,
    textStyle: {color: c.ink, fontSize: 12.5}, valueFormatter: number},
});

const drawn = (entry) => {
  const width = Math.max(240, entry.node.clientWidth);
  const {option, height} = entry.make(colours(), width);
  entry.node.style.height = height + 'px';
  if (!entry.chart) entry.chart = window.echarts.init(entry.node, null, {renderer: 'svg', width, height});
  else entry.chart.resize({width, height});
  entry.chart.setOption(option, true);
  entry.width = width;
};

/* A figure with a chart; set(make) draws it anew. */
export const chart = (title, make) => {
  const node = h('div', {class: 'plot', role: 'img', 'aria-label': title});
  const figure = h('figure', {class: 'panel'}, h('figcaption', {}, h('h3', {}, title)), node);
  const entry = {node, make, chart: null, width: 0};
  live.add(entry);
  requestAnimationFrame(() => { if (node.isConnected) drawn(entry); });
  return {figure, set: (next) => { entry.make = next; if (node.isConnected) drawn(entry); }};
};

const swept = () => live.forEach((entry) => {
  if (!entry.node.isConnected && entry.chart) { entry.chart.dispose(); live.delete(entry); }
});

export const redraw = () => { swept(); live.forEach((entry) => { if (entry.node.isConnected) drawn(entry); }); };

let pending = 0;
window.addEventListener('resize', () => {
  cancelAnimationFrame(pending);
  pending = requestAnimationFrame(() => {
    swept();
    live.forEach((entry) => { if (entry.node.isConnected && entry.node.clientWidth !== entry.width) drawn(entry); });
  });
});

/* Curves: [{name, points: [[x, y]]}]. */
export const lines = ({xTitle, yTitle, curves, log = false, logX = false, xFormat = number, most}) => (c) => {
  const legend = curves.length > 1;
  return {
    height: 270,
    option: Object.assign(base(c), {
      grid: {left: 62, right: 24, top: legend ? 40 : 16, bottom: 48},
      legend: {show: legend, top: 2, type: 'scroll', textStyle: {color: c.ink, fontSize: 12.5},
        pageTextStyle: {color: c.muted}},
      xAxis: Object.assign({type: logX ? 'log' : 'value', logBase: 2, name: xTitle, nameGap: 28}, axis(c),
        {splitLine: {show: false}, axisLabel: Object.assign({}, axis(c).axisLabel, {formatter: xFormat})},
        logX ? {min: 'dataMin', max: 'dataMax'} : {max: 'dataMax'}),
      yAxis: Object.assign({type: log ? 'log' : 'value', name: yTitle, nameGap: 46, max: most}, axis(c)),
      series: curves.map((curve, i) => ({
        name: curve.name, type: 'line', data: curve.points, color: c.series[i % 8], showSymbol: curve.points.length <= 40,
        symbolSize: 6, lineStyle: {width: 2, type: curve.dashed ? 'dashed' : 'solid'},
      })),
    }),
  };
};

/* Horizontal bars: names with one value for each of the series. */
export const bars = ({xTitle, names, series, most}) => (c, width) => {
  const left = Math.min(300, Math.max(130, width * 0.34));
  const order = names.map((name, i) => i).reverse();
  // Names of links take two lines where one would be cut off.
  const broken = left < 240 && names.some((name) => name.includes(' -> '));
  return {
    height: 84 + ((broken ? 22 : 12) + 12 * series.length) * Math.max(1, names.length),
    option: Object.assign(base(c), {
      grid: {left, right: 30, top: series.length > 1 ? 34 : 10, bottom: 46},
      legend: {show: series.length > 1, top: 2, textStyle: {color: c.ink, fontSize: 12.5}},
      xAxis: Object.assign({type: 'value', name: xTitle, nameGap: 28, max: most}, axis(c)),
      yAxis: Object.assign({type: 'category', data: order.map((i) => names[i])}, axis(c), {axisLabel: {
        color: c.muted, fontSize: 11, width: left - 14, overflow: 'truncate', interval: 0,
        lineHeight: 13, formatter: (name) => broken ? name.replace(' -> ', '\n-> ') : name}}),
      series: series.map((each, s) => ({
        name: each.name, type: 'bar', color: c.series[s], barMaxWidth: 14, stack: each.stack,
        data: order.map((i) => each.values[i]),
      })),
    }),
  };
};

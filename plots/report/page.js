'use strict';
// Tables sort by their heads and are searched; points of figures show their rows.
const collator = new Intl.Collator(undefined, {numeric: true});

function number(text) {
  const value = parseFloat(text.replace(/[,\s]/g, '').replace('−', '-'));
  return Number.isNaN(value) ? null : value;
}

function compare(a, b) {
  if (a === b) return 0;
  if (a === '') return 1;  // nothing comes last
  if (b === '') return -1;
  const x = number(a), y = number(b);
  return x !== null && y !== null ? x - y : collator.compare(a, b);
}

function sorts(table) {
  const heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
  let column = 0;
  for (const head of heads) {
    const at = column;
    column += head.colSpan;
    if (head.colSpan > 1) continue;
    head.setAttribute('aria-sort', 'none');
    head.tabIndex = 0;
    const sort = () => {
      const down = head.getAttribute('aria-sort') === 'ascending';
      for (const other of heads) if (other.hasAttribute('aria-sort')) other.setAttribute('aria-sort', 'none');
      head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      const key = row => row.cells[at] ? (row.cells[at].dataset.key || row.cells[at].textContent.trim()) : '';
      for (const body of table.tBodies) {
        const rows = [...body.rows].filter(row => !row.classList.contains('section'));
        rows.sort((a, b) => (down && key(a) !== '' && key(b) !== '' ? -1 : 1) * compare(key(a), key(b)));
        body.append(...rows);
      }
    };
    head.addEventListener('click', sort);
    head.addEventListener('keydown', event => {
      if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); sort(); }
    });
  }
}

function searches(field, table) {
  field.hidden = false;
  field.addEventListener('input', () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const body of table.tBodies) {
      for (const row of body.rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !row.classList.contains('section') && !words.every(word => text.includes(word));
      }
    }
  });
}

for (const table of document.querySelectorAll('table.data')) sorts(table);
for (const field of document.querySelectorAll('.find')) {
  searches(field, document.getElementById(field.getAttribute('aria-controls')));
}

// What plots/report/figure_data.py writes of a figure.

function values(column, rows) {
  if (Array.isArray(column)) return column;
  if (typeof column !== 'object') return Array(rows).fill(column);
  const at = typeof column.at === 'string' ? [...column.at].map(digit => parseInt(digit, 36)) : column.at;
  return at.map(index => column.of[index]);
}

function places(steps) {
  let at = 0;
  return steps.map(step => (at += step) / 10);
}

function pointsOf(told, columns) {
  return (told.points || []).flatMap(([label, x, y, rows, sources, column]) => {
    const across = places(x), down = places(y);
    const each = Array.isArray(sources) ? sources : column === undefined ? [] :
      String(columns[column][rows]).split(';').map((value, index) =>
        sources < 0 ? value : `source ${told.sources[sources][index]}: ${value}`);
    return across.map((at, index) =>
      ({x: at, y: down[index], row: Array.isArray(rows) ? rows[index] : rows, label, source: each[index]}));
  });
}

function element(name, attributes, ...children) {
  const made = Object.assign(document.createElement(name), attributes);
  made.append(...children);
  return made;
}

const figures = new Map();  // by id: heads, columns and points
for (const figure of document.querySelectorAll('figure')) {
  const told = JSON.parse(figure.querySelector('script').textContent);
  const columns = told.columns.map(column => values(column, told.rows));
  figures.set(figure.id, {heads: told.heads, columns, points: pointsOf(told, columns)});
  const numbers = figure.querySelector('.numbers');
  numbers.addEventListener('toggle', () => {
    const head = element('thead', {}, element('tr', {}, ...told.heads.map(name => element('th', {scope: 'col'}, name))));
    const rows = Array.from({length: told.rows}, (_, row) =>
      element('tr', {}, ...columns.map(column => element('td', {}, String(column[row])))));
    const table = element('table', {id: numbers.dataset.table, className: 'data'}, head, element('tbody', {}, ...rows));
    const field = element('input', {type: 'search', className: 'find', placeholder: 'Search numbers'});
    field.setAttribute('aria-label', 'Search numbers');
    field.setAttribute('aria-controls', table.id);
    numbers.append(field, element('div', {className: 'scroll'}, table));
    sorts(table);
    searches(field, table);
  }, {once: true});
}

const tip = element('div', {id: 'tip', hidden: true});
tip.setAttribute('role', 'status');
document.body.append(tip);

function line(name, value) {
  return element('div', {}, name ? `${name}: ${value}` : value);
}

for (const plot of document.querySelectorAll('.plot')) {
  const {heads, columns, points} = figures.get(plot.closest('figure').id);
  const svg = plot.querySelector('svg'), view = svg.viewBox.baseVal;
  const mark = document.createElementNS('http://www.w3.org/2000/svg', 'circle');
  mark.setAttribute('r', 4);
  mark.setAttribute('fill', 'none');
  mark.setAttribute('stroke', '#d00');
  let current = -1;
  const hide = () => { tip.hidden = true; mark.remove(); current = -1; };
  const show = index => {
    current = index;
    const {x, y, row, label, source} = points[index];
    mark.setAttribute('cx', x);
    mark.setAttribute('cy', y);
    svg.append(mark);
    tip.replaceChildren(element('b', {}, label));
    if (source) tip.append(line('', source));
    if (row >= 0) {
      columns.forEach((column, i) => {
        const text = String(column[row]);
        const short = text.length > 90 ? `${text.slice(0, 90)} …` : text;
        if (text !== '') tip.append(line(heads[i], short));
      });
    } else {
      tip.append(line('', 'no single row of the numbers below'));
    }
    const box = svg.getBoundingClientRect();
    tip.hidden = false;
    const left = box.left + x / view.width * box.width, top = box.top + y / view.height * box.height;
    const wide = document.documentElement.clientWidth;
    tip.style.left = `${Math.max(4, Math.min(left + 12, wide - tip.offsetWidth - 4)) + scrollX}px`;
    const under = top + 12 + tip.offsetHeight <= innerHeight;
    tip.style.top = `${(under ? top + 12 : Math.max(0, top - 12 - tip.offsetHeight)) + scrollY}px`;
  };
  svg.addEventListener('pointermove', event => {
    const box = svg.getBoundingClientRect(), unit = box.width / view.width;
    const x = (event.clientX - box.left) / unit, y = (event.clientY - box.top) / unit;
    let best = -1, least = (14 / unit) ** 2;
    points.forEach((point, i) => {
      const distance = (point.x - x) ** 2 + (point.y - y) ** 2;
      if (distance < least) { least = distance; best = i; }
    });
    if (best < 0) hide(); else if (best !== current) show(best);
  });
  svg.addEventListener('pointerleave', hide);
  plot.addEventListener('blur', hide);
  plot.addEventListener('keydown', event => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (event.key === 'Escape') hide();
    if (!step || !points.length) return;
    event.preventDefault();
    show((current + step + points.length) % points.length);
  });
}

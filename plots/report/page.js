'use strict';
// Tables sort by their heads and are searched; points of figures show their rows.
const cells = new Map();  // table id -> its rows in the order of the file, which points refer to
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

for (const table of document.querySelectorAll('table.data')) {
  for (const body of table.tBodies) cells.set(table.id, (cells.get(table.id) || []).concat([...body.rows]));
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

for (const field of document.querySelectorAll('.find')) {
  const table = document.getElementById(field.getAttribute('aria-controls'));
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

const tip = document.createElement('div');
tip.id = 'tip';
tip.hidden = true;
tip.setAttribute('role', 'status');
document.body.append(tip);

function line(name, value) {
  const element = document.createElement('div');
  element.textContent = name ? `${name}: ${value}` : value;
  return element;
}

for (const plot of document.querySelectorAll('.plot[data-points]')) {
  const points = JSON.parse(plot.dataset.points), labels = JSON.parse(plot.dataset.labels);
  const svg = plot.querySelector('svg'), view = svg.viewBox.baseVal;
  const mark = document.createElementNS('http://www.w3.org/2000/svg', 'circle');
  mark.setAttribute('r', 4);
  mark.setAttribute('fill', 'none');
  mark.setAttribute('stroke', '#d00');
  let current = -1;
  const hide = () => { tip.hidden = true; mark.remove(); current = -1; };
  const show = index => {
    current = index;
    const [x, y, row, label, source] = points[index];
    mark.setAttribute('cx', x);
    mark.setAttribute('cy', y);
    svg.append(mark);
    const title = document.createElement('b');
    title.textContent = labels[label];
    tip.replaceChildren(title);
    if (source) tip.append(line('', source));
    const rows = cells.get(plot.dataset.rows);
    if (row >= 0 && rows) {
      const heads = rows[row].closest('table').tHead.rows[0].cells;
      [...rows[row].cells].forEach((cell, i) => {
        const text = cell.textContent.trim();
        const short = text.length > 90 ? `${text.slice(0, 90)} …` : text;
        if (text !== '') tip.append(line(heads[i].textContent, short));
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
    points.forEach(([px, py], i) => {
      const distance = (px - x) ** 2 + (py - y) ** 2;
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

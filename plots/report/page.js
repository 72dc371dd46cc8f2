'use strict';
// Tables sort by a click on their heads. A search and three choices hide claims, figures and rows.
// Without this script everything is shown.
const collator = new Intl.Collator(undefined, {numeric: true});

function number(text) {
  const value = parseFloat(text.replace(/[,\s]/g, '').replace('−', '-'));
  return Number.isNaN(value) ? null : value;
}

function compare(a, b) {
  if (a === b) return 0;
  if (a === '') return 1;  // empty cells come last
  if (b === '') return -1;
  const x = number(a), y = number(b);
  return x !== null && y !== null ? x - y : collator.compare(a, b);
}

function makeSortable(table) {
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
      const key = row => row.cells[at] ? (row.cells[at].dataset.key ?? row.cells[at].textContent.trim()) : '';
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

const filters = document.getElementById('filters');
const entries = [...document.querySelectorAll('.one')];  // claims, figures and rows
const groups = [...document.querySelectorAll('[data-group]')].reverse();  // inner ones first

function chosen(entry, name) {
  const wanted = filters.elements[name].value;
  return !wanted || entry.dataset[name].split('|').includes(wanted);
}

function textOf(entry) {  // with the texts of its figures
  const figures = [...entry.querySelectorAll('[data-words]')].map(figure => figure.dataset.words);
  return [entry.textContent, ...figures].join(' ').toLowerCase();
}

function filter() {
  const words = filters.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const entry of entries) {
    const text = words.length ? textOf(entry) : '';
    entry.hidden = !(['verdicts', 'papers', 'machines'].every(name => chosen(entry, name)) &&
      words.every(word => text.includes(word)));
  }
  for (const group of groups) {
    const inside = group.querySelectorAll('.one');
    group.hidden = inside.length > 0 && [...inside].every(entry => entry.hidden);
  }
  const claims = document.querySelectorAll('#claims-table .one');
  const shown = [...claims].filter(row => !row.hidden).length;
  filters.querySelector('output').textContent = `${shown} of ${claims.length} lines of claims`;
}

function reveal() {  // what a link leads to
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  if (target.closest('[hidden]')) filters.reset();
  for (let at = target; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
  target.classList.add('open');
  target.scrollIntoView();
}

document.documentElement.classList.add('scripted');
document.querySelectorAll('table.data').forEach(makeSortable);
filters.hidden = false;
filters.addEventListener('input', filter);
filters.addEventListener('submit', event => event.preventDefault());
filters.addEventListener('reset', () => setTimeout(filter));
for (const more of document.querySelectorAll('#claims-table tr.one')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'screen toggle';
  button.textContent = 'more';
  button.addEventListener('click', () => {
    button.textContent = more.classList.toggle('open') ? 'less' : 'more';
  });
  more.lastElementChild.append(button);
}
const contents = document.getElementById('contents');
if (matchMedia('(max-width: 1099px)').matches) contents.open = false;
contents.addEventListener('click', event => {
  if (event.target.tagName === 'A' && matchMedia('(max-width: 1099px)').matches) contents.open = false;
});
window.addEventListener('hashchange', reveal);
filter();
reveal();

// SPDX-License-Identifier: MIT
// Shows the numbers of the tile under the pointer and unfolds the target of a link.
(function () {
  'use strict';
  const data = JSON.parse(document.getElementById('data').textContent);
  const tip = document.createElement('div');
  tip.id = 'tip';
  tip.hidden = true;
  document.body.append(tip);

  function unfold() {
    let at = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    if (!at)
      return;
    for (let up = at; up; up = up.parentElement)
      if (up.tagName === 'DETAILS')
        up.open = true;
    at.scrollIntoView();
  }
  addEventListener('hashchange', unfold);
  unfold();

  function lines(work, column, row) {
    const costs = work.tiles[row * work.columns + column];
    const text = ['tile (' + column + ', ' + row + ')'];
    costs.forEach((cost, i) => {
      if (cost)
        text.push(cost.toLocaleString('en').padStart(12) + '  ' + data.costs[i]);
    });
    return text.join('\n');
  }

  for (const map of document.querySelectorAll('.map, .shown[data-tile]')) {
    const work = data.works[map.dataset.work - 1], tile = +map.dataset.tile;
    const frame = map.viewBox ? map.viewBox.baseVal : map.parentElement.parentElement.querySelector('.map');
    if (!work || !work.columns || !frame)
      continue;
    const size = map.viewBox ? frame : frame.viewBox.baseVal;
    map.addEventListener('pointermove', event => {
      const box = map.getBoundingClientRect();
      const column = Math.floor((event.clientX - box.left) / box.width * size.width / tile);
      const row = Math.floor((event.clientY - box.top) / box.height * size.height / tile);
      tip.hidden = column < 0 || row < 0 || column >= work.columns || row >= work.rows;
      if (tip.hidden)
        return;
      tip.textContent = lines(work, column, row);
      tip.style.left = Math.min(event.clientX + 16, innerWidth - tip.offsetWidth - 8) + 'px';
      tip.style.top = Math.min(event.clientY + 16, innerHeight - tip.offsetHeight - 8) + 'px';
    });
    map.addEventListener('pointerleave', () => { tip.hidden = true; });
  }
}());

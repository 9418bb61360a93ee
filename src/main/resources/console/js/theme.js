// Runs before the first paint, so that the page does not flash in the other colors. Not a module, because modules run later.
(() => {
  const chosen = localStorage.getItem('caravan.theme');
  if (chosen === 'dark' || chosen === 'light') {
    document.documentElement.dataset.theme = chosen;
  }
})();
